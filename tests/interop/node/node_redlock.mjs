// SPDX-License-Identifier: Apache-2.0
// node-redlock with one node behind the line protocol of foreign.h. The library's owner is the lock that it returned.
import Client from 'ioredis';
import Redlock, { ExecutionError } from 'redlock';
import { now, serve } from './line_protocol.mjs';

const pause = 50; // between two asks of a wait, in ms: Format::poll
const server = new Client({ host: '127.0.0.1', port: Number(process.argv[2]) });
const redlock = new Redlock([server], { retryDelay: pause, retryJitter: 0, automaticExtensionThreshold: 0 });
redlock.on('error', () => {}); // every refused ask is told here too
const held = new Map();

async function give(place) {
  const lock = held.get(place);
  held.delete(place);
  const before = now();
  if (!lock) return 'no';
  await lock.release();
  return `ok ${before}`;
}

async function take(place, name, lease, limit) {
  const lock = await redlock.acquire([name], Number(lease), { retryCount: Math.ceil(Number(limit) / pause) });
  held.set(place, lock);
  return `ok ${now()}`;
}

async function answer(owner, kind, verb, name, lease, limit) {
  if (kind !== 'lock') throw new Error(`no such kind: ${kind}`);
  const place = `${owner} ${name}`;
  if (verb === 'who') return `ok ${now()} ${held.get(place).value}`;
  try {
    return verb === 'give' ? await give(place) : await take(place, name, lease, verb === 'wait' ? limit : 0);
  } catch (error) {
    if (error instanceof ExecutionError) return 'no';
    throw error;
  }
}

await server.ping();
serve(answer);

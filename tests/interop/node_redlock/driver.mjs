// SPDX-License-Identifier: Apache-2.0
// node-redlock with one node behind the line protocol of foreign.h. An owner is a name only: the library's owner is the lock it returned.
import { createInterface } from 'node:readline';
import Client from 'ioredis';
import Redlock, { ExecutionError } from 'redlock';

const pause = 50; // between two asks of a wait, in ms: RETRY_MS in foreign_kinds
const server = new Client({ host: '127.0.0.1', port: Number(process.argv[2]) });
const redlock = new Redlock([server], { retryDelay: pause, retryJitter: 0, automaticExtensionThreshold: 0 });
redlock.on('error', () => {}); // every refused ask is told here too
const held = new Map();

const now = () => process.hrtime.bigint();

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
  try {
    return verb === 'give' ? await give(place) : await take(place, name, lease, verb === 'wait' ? limit : 0);
  } catch (error) {
    if (error instanceof ExecutionError) return 'no';
    throw error;
  }
}

await server.ping();
console.log('ready');
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const words = line.split(' ');
    answer(...words)
      .catch((error) => `error ${String(error).replaceAll('\n', ' ')}`)
      .then((text) => console.log(`${words[0]} ${text}`));
  })
  .on('close', () => process.exit(0));

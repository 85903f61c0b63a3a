// SPDX-License-Identifier: Apache-2.0
// A worker of BullMQ behind the line protocol of foreign.h: it takes one job of the queue NAME, which is added for it, holds its lock,
// and gives it back by completing it. The key is "bull:NAME:1:lock".
import { Queue, Worker } from 'bullmq';
import Client from 'ioredis';
import { now, serve } from './line_protocol.mjs';

const connection = new Client({ host: '127.0.0.1', port: Number(process.argv[2]), maxRetriesPerRequest: null });
const held = new Map(); // owner and queue → how to end the job, and how that went

function take(place, name, lease) {
  return new Promise((taken, refused) => {
    const worker = new Worker(
      name,
      (job, token) =>
        new Promise((complete) => {
          held.set(place, { worker, token, complete });
          taken(`ok ${now()}`);
        }),
      { connection, lockDuration: Number(lease), skipStalledCheck: true },
    );
    worker.on('error', refused); // once it has the job, nobody hears it
    new Queue(name, { connection }).add('job', {}).catch(refused);
  });
}

/** No: the worker was told that the job was not its own any more. */
function give({ worker, complete }) {
  const before = now();
  return new Promise((given) => {
    worker.once('completed', () => given(`ok ${before}`));
    worker.once('failed', () => given('no'));
    worker.once('error', () => given('no'));
    complete();
  });
}

async function answer(owner, kind, verb, name, lease) {
  const place = `${owner} ${name}`;
  if (verb === 'take') return take(place, name, lease);
  if (verb === 'who') return `ok ${now()} ${held.get(place).token}`;
  if (verb === 'give') return give(held.get(place));
  throw new Error(`no such verb: ${verb}`);
}

await connection.ping();
serve(answer);

// SPDX-License-Identifier: Apache-2.0
// The line protocol of foreign.h for the libraries of Node. An owner is a name only.
import { createInterface } from 'node:readline';

export const now = () => process.hrtime.bigint();

/** Calls `answer(owner, kind, verb, name, ...)` for each line and writes what it promises; ends with the input. */
export function serve(answer) {
  console.log('ready');
  createInterface({ input: process.stdin })
    .on('line', (line) => {
      const words = line.split(' ');
      answer(...words)
        .catch((error) => `error ${String(error).replaceAll('\n', ' ')}`)
        .then((text) => console.log(`${words[0]} ${text}`));
    })
    .on('close', () => process.exit(0));
}

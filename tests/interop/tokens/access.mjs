// Callers of a sidecar show tokens of a certified authorization server, which changes its key twice and restarts while calls
// are under way: none may fail. Usage: access.mjs CALLGATE
import { fork, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './ports.mjs';

const callgate = process.argv[2];
const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'callgate-access-'));
const pause = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });
const CONCURRENCY = 8;
// A key that is new is asked for once in ten seconds.
const BETWEEN = 11_000;

const newKey = (kid) => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' };
};

const port = await freePort();
const secret = randomBytes(24).toString('base64url');
const issuer = `http://127.0.0.1:${port}`;
let server;

const start = (keys) => new Promise((done, failed) => {
  const SETTINGS = JSON.stringify({ port, secret, keys });
  const path = fileURLToPath(new URL('issuer.mjs', import.meta.url));
  server = fork(path, { env: { ...process.env, SETTINGS }, stdio: ['ignore', 'ignore', process.env.VERBOSE ? 'inherit' : 'ignore', 'ipc'] });
  server.once('message', done);
  server.once('exit', (code) => failed(new Error(`the issuer ended: ${code}`)));
});

const stop = () => new Promise((done) => {
  server.removeAllListeners('exit');
  server.once('exit', done);
  server.kill('SIGKILL');
});

const asked = () => new Promise((done) => {
  server.once('message', (counts) => done(counts.asked));
  server.send('counts');
});

const token = async () => {
  for (;;) {
    try {
      const answer = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`agent:${secret}`).toString('base64')}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', resource: 'urn:callgate' }),
      });
      if (answer.ok) return (await answer.json()).access_token;
      throw new Error(`${answer.status} ${await answer.text()}`);
    } catch (error) {
      if (process.env.VERBOSE) console.error(error);
      await pause(100);
    }
  }
};
const keyOf = (text) => JSON.parse(Buffer.from(text.split('.')[0], 'base64url')).kid;

const [first, second, third] = ['k1', 'k2', 'k3'].map(newKey);
await start([first]);
writeFileSync(join(folder, 'callgate.json'), JSON.stringify({
  listen: '127.0.0.1:0',
  access: { jwt: [{ issuer, audience: 'callgate', algorithms: ['ES256'] }] },
  toolsets: { pets: {
    openapi: join(root, 'fixtures/pets/spec.yaml'),
    auth: { api_key: { in: 'header', name: 'X-Api-Key', value: 'literal:demo-key' } },
    upstream: { replay: join(root, 'fixtures/pets/cases') },
  } },
}));
const sidecar = spawn(callgate, ['serve', join(folder, 'callgate.json')], { stdio: ['ignore', 'ignore', 'pipe'] });
let log = '';
const address = await new Promise((done) => {
  sidecar.stderr.on('data', (text) => {
    log += text;
    const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(log) ?? [];
    if (found) done(found);
  });
});

let current = await token();
const seen = { calls: 0, failed: 0, why: '' };
const [keys, answeredKeys] = [new Set(), new Set()];
let isOver = false;
const calls = async () => {
  while (!isOver) {
    const shown = current;
    keys.add(keyOf(shown));
    seen.calls += 1;
    try {
      const answer = await fetch(`${address}/v1/calls`, {
        method: 'POST',
        headers: { authorization: `Bearer ${shown}`, 'content-type': 'application/json' },
        body: '{"calls":[{"id":"1","tool":"pets-getPet","args":{"petId":7}}]}',
      });
      const text = await answer.text();
      if (answer.status !== 200 || !text.includes('Rex')) throw new Error(`${answer.status} ${text}`);
      answeredKeys.add(keyOf(shown));
    } catch (error) {
      seen.failed += 1;
      seen.why = String(error);
    }
    await pause(2);
  }
};
const renewing = async () => {
  while (!isOver) {
    await pause(300);
    current = await token();
  }
};

const began = Date.now();
const running = [...Array.from({ length: CONCURRENCY }, calls), renewing()];
await pause(1500);
let fetched = await asked();
for (const published of [[second, first], [third, second]]) {
  await stop();
  await start(published);
  // From when the sidecar has asked for the new key: on a busy machine that is seconds later.
  for (let looks = 0; looks < 600 && !answeredKeys.has(published[0].kid); looks += 1) await pause(100);
  await pause(BETWEEN);
  fetched += await asked();
}
isOver = true;
await Promise.all(running);
const foreign = await fetch(`${address}/v1/tools`, { headers: { authorization: `Bearer ${current.slice(0, -8)}AAAAAAAA` } });
await stop();
sidecar.kill('SIGTERM');
const code = await new Promise((done) => { sidecar.once('exit', done); });
rmSync(folder, { recursive: true });
const seconds = ((Date.now() - began) / 1000).toFixed(1);
const holds = seen.failed === 0 && seen.calls > 100 && keys.size === 3 && fetched <= 6 && foreign.status === 401 && code === 0 && !log.includes(current);
console.log(`${holds ? 'ok    ' : 'FAILED'} access: ${seen.calls} calls in ${seconds} s, ${seen.failed} failed, ${keys.size} keys in turn, keys asked for ${fetched} times${holds ? '' : `: ${seen.why} ${foreign.status} ${code}`}`);
process.exit(holds ? 0 : 1);

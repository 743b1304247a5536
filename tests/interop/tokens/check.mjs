// Calls with tokens of a certified authorization server: every way a client shows who it is, tokens that live three
// seconds, a secret that is rotated and a server that restarts while calls are under way. Usage: check.mjs CALLGATE
import { fork, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './ports.mjs';

const callgate = process.argv[2];
const folder = mkdtempSync(join(tmpdir(), 'callgate-tokens-'));
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const pause = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });
const failures = [];

const jwks = {};
for (const [algorithm, kind, options] of [
  ['RS256', 'rsa', { modulusLength: 2048 }],
  ['ES256', 'ec', { namedCurve: 'P-256' }],
  ['EdDSA', 'ed25519', {}],
]) {
  const { publicKey, privateKey } = generateKeyPairSync(kind, options);
  writeFileSync(join(folder, `${algorithm}.pem`), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  jwks[algorithm] = { ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: algorithm, use: 'sig' };
}

const port = await freePort();
let secret;
let provider;

const newSecret = () => randomBytes(24).toString('base64url');
const rotate = (next) => {
  secret = next;
  writeFileSync(join(folder, 'secret'), secret);
};

// A server that is loaded listens later: how long a busy machine loads it is not a time without a server.
const load = (known) => new Promise((done, failed) => {
  const SETTINGS = JSON.stringify({ port, secret: known, jwks });
  const child = fork(here('provider.mjs'), { env: { ...process.env, SETTINGS }, stdio: ['ignore', 'ignore', process.env.VERBOSE ? 'inherit' : 'ignore', 'ipc'] });
  child.once('message', () => done(child));
  child.once('exit', (code) => failed(new Error(`the provider ended: ${code}`)));
});

const listen = (child) => new Promise((done, failed) => {
  provider = child;
  child.once('message', done);
  child.once('exit', (code) => failed(new Error(`the provider ended: ${code}`)));
  child.send('listen');
});

const stop = () => new Promise((done) => {
  provider.removeAllListeners('exit');
  provider.once('exit', done);
  provider.kill('SIGKILL');
});

const counts = () => new Promise((done) => {
  provider.once('message', done);
  provider.send('counts');
});

// The service asks the server about each token, for a tenth of a second at most from memory, and waits while it is away.
const known = new Map();
const isActive = (token) => {
  if (known.has(token)) return known.get(token);
  const ask = async () => {
    for (;;) {
      try {
        // The secret of now: another server may answer than the one that was asked first.
        const authorization = `Basic ${Buffer.from(`basic:${secret}`).toString('base64')}`;
        const answer = await fetch(`http://127.0.0.1:${port}/token/introspection`, {
          method: 'POST', headers: { authorization }, body: new URLSearchParams({ token }),
          // One that was asked of a server that is killed is asked again.
          signal: AbortSignal.timeout(2000),
        });
        if (answer.ok) return (await answer.json()).active;
        throw new Error(`introspection: ${answer.status}`);
      } catch { await pause(50); }
    }
  };
  const asked = ask();
  known.set(token, asked);
  asked.then(() => setTimeout(() => known.delete(token), 100));
  return asked;
};

const seen = { calls: 0, refused: 0 };
const service = createServer(async (request, response) => {
  seen.calls += 1;
  const [, token] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
  if (token && await isActive(token)) {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":7,"name":"Rex"}');
  } else {
    seen.refused += 1;
    response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end();
  }
});
await new Promise((done) => { service.listen(0, '127.0.0.1', done); });

writeFileSync(join(folder, 'spec.json'), JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Pets', version: '1' },
  paths: { '/pets/7': { get: { operationId: 'getPet', responses: { 200: { description: 'ok' } } } } },
}));

const endpoint = { token_url: `http://127.0.0.1:${port}/token` };
const issuer = { issuer: `http://127.0.0.1:${port}` };

const run = (name, credential, count, jobs) => new Promise((done) => {
  const configuration = { toolsets: { pets: {
    openapi: 'spec.json', prefix: '', server: `http://127.0.0.1:${service.address().port}`,
    auth: { oauth2_client_credentials: credential },
  } } };
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(configuration));
  const batch = join(folder, `${name}.jsonl`);
  writeFileSync(batch, '{"id":"1","tool":"getPet","args":{}}\n'.repeat(count));
  const child = spawn(callgate, ['call', file, '--batch', batch, '--jobs', String(jobs)]);
  let out = '';
  child.stdout.on('data', (text) => { out += text; });
  child.stderr.on('data', (text) => { out += text; });
  child.on('exit', () => {
    const lines = out.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
    done({ out, lines, answered: lines.filter((line) => line.status === 200).length });
  });
});

const check = (what, holds, detail = '') => {
  console.log(`${holds ? 'ok    ' : 'FAILED'} ${what}${holds ? '' : `: ${detail}`}`);
  if (!holds) failures.push(what);
};

rotate(newSecret());
await listen(await load(secret));
const shown = { client_secret: 'file:secret', scopes: ['read'] };
const ways = {
  basic: { ...endpoint, client_id: 'basic', ...shown },
  body: { ...endpoint, client_id: 'post', client_authentication: 'body', ...shown },
  metadata: { ...issuer, client_id: 'basic', ...shown },
  ...Object.fromEntries(Object.keys(jwks).map((algorithm) => [algorithm, {
    ...issuer, client_id: `jwt-${algorithm}`, private_key: `file:${algorithm}.pem`, private_key_id: 'k1',
  }])),
};
for (const [name, credential] of Object.entries(ways)) {
  const before = await counts();
  const { answered, out } = await run(name, credential, 20, 8);
  const after = await counts();
  const issued = after.issued - before.issued;
  check(`${name}: 20 calls, 1 token`, answered === 20 && issued === 1, `${answered} answered, ${issued} tokens ${out.slice(0, 400)}`);
}

const wrong = await run('wrong', { ...endpoint, client_id: 'basic', client_secret: 'literal:canary-of-a-secret' }, 20, 8);
const codes = new Set(wrong.lines.map((line) => line.error?.code));
check('a wrong secret: auth_failed with invalid_client, asked for once',
  codes.size === 1 && codes.has('auth_failed') && wrong.out.includes('invalid_client') && (await counts()).refused === 1,
  wrong.out.slice(0, 400));
check('a wrong secret is not shown', !wrong.out.includes('canary-of-a-secret'));

Object.assign(seen, { calls: 0, refused: 0 });
const paced = Number(process.env.INTEROP_CALLS ?? 8000);
let issued = (await counts()).issued;
const began = Date.now();
const expiring = await run('expiry', ways.basic, paced, 8);
const seconds = (Date.now() - began) / 1000;
issued = (await counts()).issued - issued;
check(`expiry: ${paced} calls in ${seconds.toFixed(1)} s with tokens of 3 s, none lost, ${seen.refused} sent again, ${issued} tokens`,
  expiring.answered === paced && seen.refused <= issued * 8 && issued >= Math.floor(seconds / 3) && issued <= seconds + 2,
  `${expiring.answered} answered, ${seen.refused} refused, ${issued} tokens`);

Object.assign(seen, { calls: 0, refused: 0 });
const next = newSecret();
const successor = await load(next);
const loaded = run('restart', ways.basic, paced, 8);
await pause(Math.min(1500, seconds * 300));
const first = await counts();
await stop();
rotate(next);
await pause(500);
await listen(successor);
const restarted = await loaded;
const second = await counts();
check(`restart and rotation under load: ${paced} calls, none lost, each sent at most once more`,
  restarted.answered === paced && seen.calls === paced + seen.refused && seen.refused <= 9 && first.issued > 0 && second.issued > 0,
  `${restarted.answered} answered, ${seen.calls} seen, ${seen.refused} refused ${JSON.stringify(restarted.lines.find((line) => line.status !== 200))}`);
check('nothing the client shows is in what callgate wrote', ![expiring, restarted].some(({ out }) => out.includes(secret)));

await stop();
service.close();
rmSync(folder, { recursive: true });
process.exit(failures.length ? 1 : 0);

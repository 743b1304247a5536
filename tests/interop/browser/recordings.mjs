// Drafts from recordings of Chromium: pages of three packages of Debian's documentation use a service of this file by scripts, as pages
// of a shop use theirs, and the browser's recording (HAR) is all that `callgate draft` gets. The paths are those of the service, pages
// and what belongs to them are left out, the draft loads, its cases replay, and no secret of the visit is written. Needs
// `tests/interop/install --pages`. Usage: recordings.mjs CALLGATE
import { spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';

const require = createRequire(`${resolve(process.env.INTEROP_MODULES)}/`);
const { chromium } = require('playwright-core');
const PACKAGES = ['apache2-doc', 'debian-policy', 'git-doc'];
const TYPES = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.png': 'image/png', '.gif': 'image/gif', '.svg': 'image/svg+xml' };
const folder = resolve('target/interop/documentation');
const secrets = { password: `Pw-${randomBytes(9).toString('hex')}`, token: randomBytes(24).toString('base64url'), cookie: randomBytes(16).toString('hex') };

const listening = (server) => new Promise((done) => { server.listen(0, '127.0.0.1', () => done(`http://127.0.0.1:${server.address().port}`)); });

// Pages are of one origin.
const pages = await listening(createServer((request, response) => {
  const file = join(folder, decodeURIComponent(new URL(request.url, 'http://a').pathname));
  if (!file.startsWith(folder) || !existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
  const type = TYPES[extname(file)] ?? (file.endsWith('.html.en') ? 'text/html' : 'application/octet-stream');
  return response.writeHead(200, { 'content-type': type }).end(readFileSync(file));
}));

// The service is of another, so that the browser asks by OPTIONS whether it may call.
const orders = new Map();
const json = (status, value, more = {}) => [status, { 'content-type': 'application/json; charset=utf-8', ...more }, value === undefined ? '' : JSON.stringify(value)];
const absent = () => json(404, { error: { code: 'absent', message: 'There is no such order' } });
const routes = [
  ['POST', /^\/v1\/login$/, () => json(200, { access_token: secrets.token, expires_in: 3600 }, { 'set-cookie': `sid=${secrets.cookie}; Path=/` })],
  ['GET', /^\/v1\/orders$/, (_, query) => json(200, { items: [...orders.values()].slice(0, Number(query.get('limit') ?? 20)), next: null, total: orders.size })],
  ['POST', /^\/v1\/orders$/, (_, __, body) => {
    const order = { id: randomUUID(), placed: '2026-11-29T10:00:00Z', status: 'open', note: null, ...JSON.parse(body) };
    orders.set(order.id, order);
    return json(201, order);
  }],
  ['GET', /^\/v1\/orders\/([^/]+)$/, ([id]) => (orders.has(id) ? json(200, orders.get(id)) : absent())],
  ['PATCH', /^\/v1\/orders\/([^/]+)$/, ([id], _, body) => json(200, Object.assign(orders.get(id), JSON.parse(body)))],
  ['DELETE', /^\/v1\/orders\/([^/]+)$/, ([id]) => (orders.delete(id) ? [204, {}, ''] : absent())],
  ['GET', /^\/v1\/orders\/([^/]+)\/lines\/(\d+)$/, ([, line]) => json(200, { line: Number(line), sku: `S-${line}`, price: 4.5, tags: [] })],
  ['POST', /^\/v1\/files$/, (_, __, body) => json(201, { id: randomUUID(), bytes: body.length })],
];
const service = await listening(createServer((request, response) => {
  const url = new URL(request.url, 'http://a');
  const cors = { 'access-control-allow-origin': pages, 'access-control-allow-credentials': 'true', 'access-control-allow-headers': 'authorization,content-type', 'access-control-allow-methods': 'GET,POST,PATCH,DELETE' };
  const parts = [];
  request.on('data', (part) => parts.push(part)).on('end', () => {
    if (request.method === 'OPTIONS') return response.writeHead(204, cors).end();
    const route = routes.find(([method, path]) => method === request.method && path.test(url.pathname));
    const [status, headers, body] = route ? route[2](route[1].exec(url.pathname).slice(1), url.searchParams, Buffer.concat(parts).toString('latin1')) : json(404, {});
    return response.writeHead(status, { ...cors, ...headers }).end(body);
  });
}));
const expected = [
  'delete /v1/orders/{}', 'get /v1/orders', 'get /v1/orders/{}', 'get /v1/orders/{}/lines/{}', 'patch /v1/orders/{}', 'post /v1/files', 'post /v1/login', 'post /v1/orders',
];

// What the scripts of a page do; it runs in the browser.
const visit = async ([base, password]) => {
  const form = new URLSearchParams({ user: 'somebody', password });
  const login = await (await fetch(`${base}/v1/login`, { method: 'POST', body: form, credentials: 'include' })).json();
  const call = async (method, path, body) => {
    const headers = { authorization: `Bearer ${login.access_token}`, ...(body ? { 'content-type': 'application/json' } : {}) };
    const answer = await fetch(base + path, { method, headers, credentials: 'include', body: body && JSON.stringify(body) });
    const text = await answer.text();
    return text && JSON.parse(text);
  };
  const placed = [];
  for (const [sku, count] of [['tea', 2], ['rice', 1], ['salt', 7]]) placed.push((await call('POST', '/v1/orders', { sku, count, ...(count > 1 ? { gift: true } : {}) })).id);
  await call('GET', '/v1/orders?limit=2');
  await call('GET', '/v1/orders?limit=5&status=open');
  for (const id of [...placed, crypto.randomUUID()]) await call('GET', `/v1/orders/${id}`);
  for (const [at, id] of placed.entries()) await call('GET', `/v1/orders/${id}/lines/${at + 1}`);
  for (const id of placed.slice(1)) await call('PATCH', `/v1/orders/${id}`, { note: 'by noon' });
  for (const id of placed.slice(1)) await call('DELETE', `/v1/orders/${id}`);
  const file = new FormData();
  file.set('title', 'A receipt');
  file.set('file', new Blob(['a,b\n1,2\n'], { type: 'text/csv' }), 'receipt.csv');
  await (await fetch(`${base}/v1/files`, { method: 'POST', headers: { authorization: `Bearer ${login.access_token}` }, body: file })).text();
};

const page_of = (name) => {
  const files = readdirSync(join(folder, name), { recursive: true }).map(String).sort();
  const file = files.find((file) => /\.html(\.en)?$/.test(file) && statSync(join(folder, name, file)).size > 10_000);
  return file && `${pages}/${name}/${file}`;
};
const callgate = resolve(process.argv[2]);
const run = (...line) => spawnSync(callgate, line, { encoding: 'utf8' });
const text_of = (place) => (statSync(place).isFile() ? readFileSync(place, 'utf8') : readdirSync(place).map((name) => text_of(join(place, name))).join('\n'));

const env = { ...process.env, ...(process.env.CHROMIUM_LIBRARIES ? { LD_LIBRARY_PATH: process.env.CHROMIUM_LIBRARIES } : {}) };
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'], env });
let n_failed = 0;
for (const name of PACKAGES) {
  if (!existsSync(join(folder, name))) {
    console.log(`${name} absent: tests/interop/install --pages`);
    n_failed += 1;
    continue;
  }
  orders.clear();
  const home = mkdtempSync(join(tmpdir(), 'recordings-'));
  const [har, spec, cases] = ['visit.har', 'spec.yaml', 'cases'].map((file) => join(home, file));
  const context = await browser.newContext({ recordHar: { path: har, content: 'embed' } });
  const page = await context.newPage();
  await page.goto(page_of(name), { waitUntil: 'networkidle' });
  await page.evaluate(visit, [service, secrets.password]);
  await context.close();
  const n_entries = JSON.parse(readFileSync(har, 'utf8')).log.entries.length;
  const drafted = run('draft', '--har', har, '--out', spec, '--cases', cases);
  const faults = drafted.status === 0 ? [] : [drafted.stderr];
  if (drafted.status === 0) {
    const tools = JSON.parse(run('tools', spec, '--json').stdout);
    const paths = tools.map((tool) => `${tool.method.toLowerCase()} ${tool.path.replaceAll(/\{[^}]*\}/g, '{}')}`).sort();
    if (String(paths) !== String(expected)) faults.push(`paths: ${paths.join(', ')}`);
    const checked = run('check', spec);
    if (checked.status !== 0 || !checked.stdout.includes(' 0 refused')) faults.push(checked.stdout + checked.stderr);
    const tested = run('test', cases);
    if (tested.status !== 0) faults.push(tested.stdout.slice(-2000) + tested.stderr.slice(-1000));
    const written = [drafted.stdout, drafted.stderr, text_of(spec), text_of(cases)].join('\n');
    for (const [kind, secret] of Object.entries(secrets)) if (written.includes(secret)) faults.push(`the ${kind} is written`);
    if (!/\d+ entries are left out: pages/.test(drafted.stderr)) faults.push('no page was left out');
    console.log(`${name}: ${n_entries} entries, ${paths.length} operations, ${(tested.stdout.trim().split('\n').pop() ?? '').trim()}, ${faults.length} faults`);
  }
  faults.forEach((fault) => console.log(fault));
  n_failed += faults.length;
  rmSync(home, { recursive: true });
}
await browser.close();
console.log(`recordings: ${n_failed} faults`);
process.exit(n_failed ? 1 : 0);

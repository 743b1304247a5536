// Two browsers that log a person in: each shows a page, and fills in the first form of every page on the way, until `isOver` says
// of an address and a text that it is done; the text is answered.

/** A plain HTTP client that keeps cookies of the issuer and follows redirects. */
export const plain = (issuer) => async (start, isOver) => {
  const jar = new Map();
  let [url, body] = [start, undefined];
  for (let step = 0; step < 30; step += 1) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const own = url.startsWith(issuer);
    const answer = await fetch(url, { method: body ? 'POST' : 'GET', body, redirect: 'manual', headers: own ? { cookie } : {} });
    for (const line of own ? answer.headers.getSetCookie() : []) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      if (value) jar.set(name, value); else jar.delete(name);
    }
    const text = await answer.text();
    const location = answer.headers.get('location');
    if (location) {
      [url, body] = [new URL(location, url).href, undefined];
    } else if (isOver(url, text)) {
      return text;
    } else {
      const [form] = /<form[\s\S]*?<\/form>/.exec(text) ?? [];
      if (!form) throw new Error(`no form at ${url}: ${answer.status} ${text.slice(0, 300)}`);
      const action = (/action="([^"]*)"/.exec(form)?.[1] ?? '').replaceAll('&amp;', '&');
      body = new URLSearchParams();
      for (const [input] of form.matchAll(/<input[^>]*>/g)) {
        const attribute = (name) => new RegExp(`${name}="([^"]*)"`).exec(input)?.[1];
        if (attribute('name')) body.set(attribute('name'), attribute('value') ?? 'a-person');
      }
      url = new URL(action || url, url).href;
    }
  }
  throw new Error(`no end: ${url}`);
};

/** Chromium without a window; nobody is logged in when a page is opened. */
export const chromium = async (puppeteer, executablePath, libraries) => {
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'];
  const env = { ...process.env, ...(libraries ? { LD_LIBRARY_PATH: libraries } : {}) };
  const browser = await puppeteer.launch({ executablePath, args, env });
  const browse = async (start, isOver) => {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    // Some pages send a form of their own at once.
    const settled = { waitUntil: 'networkidle0' };
    await page.goto(start, settled);
    for (let step = 0; step < 30; step += 1) {
      // As a person reads it: what scripts and styles made of the page.
      const text = await page.evaluate('document.body.innerText');
      if (isOver(page.url(), text)) {
        await context.close();
        return text;
      }
      for (const input of await page.$$('form input:not([type=hidden]):not([type=submit])')) {
        if (!await input.evaluate((field) => field.value)) await input.type('a-person');
      }
      const button = await page.$('button[type=submit], input[type=submit], form button');
      if (!button) throw new Error(`no button at ${page.url()}: ${text.slice(0, 300)}`);
      await Promise.all([page.waitForNavigation(settled), button.click()]);
    }
    throw new Error(`no end: ${page.url()}`);
  };
  return { browse, version: await browser.version(), close: () => browser.close() };
};

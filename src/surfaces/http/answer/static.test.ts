import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSite } from './static.ts'

const folder = mkdtempSync(join(tmpdir(), 'plat-site-'))
mkdirSync(join(folder, 'assets'))
writeFileSync(join(folder, 'index.html'), '<!doctype html><html lang="en"><p>Plat')
writeFileSync(join(folder, 'assets', 'a-1.js'), 'plain')
writeFileSync(join(folder, 'assets', 'a-1.js.br'), 'brotli')
writeFileSync(join(folder, 'assets', 'a-1.js.gz'), 'gzip')
writeFileSync(join(folder, 'paths.json'), JSON.stringify(['/', '/devices', '/devices/$id']))
mkdirSync(join(folder, 'help', 'images'), { recursive: true })
writeFileSync(join(folder, 'help', 'README.html'), '<!doctype html><html lang="en"><p>All')
writeFileSync(join(folder, 'help', 'history.html'), '<!doctype html><html lang="en"><p>History')
writeFileSync(join(folder, 'help', 'images', 'a.webp'), 'picture')
writeFileSync(join(folder, '.stamp'), 'x')
afterAll(() => rmSync(folder, { recursive: true }))

const site = openSite(folder)
const BROWSER = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8'
const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  site(new Request(`http://plat.test${path}`, { method, headers }))
const page = (path: string, headers: Record<string, string> = {}) => ask(path, { accept: BROWSER, ...headers })

describe('a page', () => {
  test.each(['/', '/devices', '/devices/', '/devices/web-1.example'])('is sent to a browser at %s', async (path) => {
    const response = page(path)
    expect([response?.status, await response?.text()]).toEqual([200, '<!doctype html><html lang="en"><p>Plat'])
  })

  test.each(['/nowhere', '/devices/web-1/more', '/Devices', '/x/devices'])('is sent with 404 at %s', async (path) => {
    const response = page(path)
    expect([response?.status, await response?.text()]).toEqual([404, '<!doctype html><html lang="en"><p>Plat'])
  })

  test.each(['/api/devices', '/api', '/mcp', '/healthz', '/metrics', '/.well-known/x', '/mcp-oauth/authorize'])(
    'is not sent at %s',
    (path) => expect(page(path)).toBeUndefined(),
  )

  test('is sent at a machine path that is also a page, and to browsers only', async () => {
    const withConsent = openSite(folder, { alsoPages: ['/mcp-oauth/authorize'] })
    const at = (path: string, headers: Record<string, string> = {}) =>
      withConsent(new Request(`http://plat.test${path}`, { headers: { accept: BROWSER, ...headers } }))
    expect([at('/mcp-oauth/authorize?client_id=x')?.status, at('/mcp-oauth/token')]).toEqual([200, undefined])
    expect(at('/mcp-oauth/authorize', { 'x-requested-with': 'XMLHttpRequest' })).toBeUndefined()
  })

  test('has the given attributes at its root', async () => {
    const withRows = openSite(folder, { attributes: ' data-max-rows="100"' })
    const headers = { accept: BROWSER, cookie: 'plat_look=dark.compact.on' }
    const answer = withRows(new Request('http://plat.test/devices', { headers }))
    expect(await answer?.text()).toBe('<!doctype html><html data-max-rows="100" data-theme="dark" lang="en"><p>Plat')
  })

  test('is not for a client that does not name HTML', () => {
    expect(ask('/devices')).toBeUndefined()
    expect(ask('/devices', { accept: '*/*' })).toBeUndefined()
  })

  test('is not for a change', () => expect(ask('/devices', { accept: BROWSER }, 'POST')).toBeUndefined())

  test('permits its own scripts only', () => {
    const policy = page('/')?.headers.get('content-security-policy')
    expect(policy).toStartWith("default-src 'self'; ")
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types app")
    expect(policy).not.toContain('unsafe')
  })

  test.each([
    ['plat_look=dark.compact.on', '<html data-theme="dark" lang="en">'],
    ['other=1; plat_look=light.comfortable.off', '<html data-theme="light" data-density="comfortable" lang="en">'],
    ['plat_look=system.comfortable.on', '<html data-density="comfortable" lang="en">'],
    ['plat_look=system.compact.on', '<html lang="en">'],
    ['plat_look="><script>.compact.on', '<html lang="en">'],
    ['not_plat_look=dark.compact.on', '<html lang="en">'],
  ])('has the theme of its cookie: %s', async (cookie, root) => {
    expect(await page('/', { cookie })?.text()).toContain(root)
  })

  test('is sent again for another theme', () => {
    const etag = page('/')?.headers.get('etag') ?? ''
    expect(page('/', { 'if-none-match': etag, cookie: 'plat_look=dark.compact.on' })?.status).toBe(200)
    expect(page('/')?.headers.get('vary')).toBe('Accept, Cookie')
  })

  test('is revalidated each time, and sent when it has changed', () => {
    const { headers } = page('/') ?? new Response()
    expect(headers.get('cache-control')).toBe('no-cache')
    expect(page('/', { 'if-none-match': headers.get('etag') ?? '' })?.status).toBe(304)
  })
})

describe('a file', () => {
  const body = async (accepted: string) => (await ask('/static/assets/a-1.js', { 'accept-encoding': accepted }))?.text()

  test('is kept for ever', () => {
    const headers = ask('/static/assets/a-1.js')?.headers
    expect(headers?.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(headers?.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(headers?.get('vary')).toBe('Accept-Encoding')
  })

  test('comes in the best coding that is taken', async () => {
    expect(await body('gzip, deflate, br, zstd')).toBe('brotli')
    expect(await body('gzip')).toBe('gzip')
    expect(await body('br;q=0, gzip;q=0.5')).toBe('gzip')
    expect(await body('identity')).toBe('plain')
  })

  test.each(['/static/assets/a-1.js.br', '/static/assets/..%2f.stamp', '/static/'])('is not sent at %s', (path) => {
    expect(ask(path)?.status).toBe(404)
  })

  test('is not outside of the folder', () => expect(ask('/static/../index.html')).toBeUndefined())
})

test('without a build a browser gets a message', () => {
  const response = openSite(join(folder, 'assets'))(new Request('http://plat.test/', { headers: { accept: BROWSER } }))
  expect(response?.status).toBe(503)
})

describe('the documentation', () => {
  test.each([
    ['/help/', 'All'],
    ['/help/history', 'History'],
  ])('is at %s, for every client', async (path, text) => {
    for (const accept of [BROWSER, '*/*', ''])
      expect(await ask(path, { accept })?.text()).toBe(`<!doctype html><html lang="en"><p>${text}`)
  })

  test('begins at the folder', () => {
    const answer = page('/help')
    expect([answer?.status, answer?.headers.get('location')]).toEqual([308, '/help/'])
  })

  test('has the theme of the cookie', async () =>
    expect(await page('/help/history', { cookie: 'plat_look=dark.compact.on' })?.text()).toContain('data-theme="dark"'))

  test('has pictures, for clients that accept no HTML', async () => {
    const answer = ask('/help/images/a.webp', { accept: 'image/webp' })
    expect([answer?.headers.get('content-type'), await answer?.text()]).toEqual(['image/webp', 'picture'])
  })

  test.each(['/help/nowhere', '/help/README', '/help/history.html', '/help/images/b.webp'])(
    'has nothing at %s',
    (path) => expect(page(path)?.status).toBe(404),
  )

  test('is not sent to scripts of the API', () =>
    expect(ask('/help/history', { 'x-requested-with': 'XMLHttpRequest' })).toBeUndefined())
})

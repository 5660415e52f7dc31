import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { contracts, routes } from '../../app/contracts.ts'

const FILES = [
  ['/api/openapi.json', 'application/json'],
  ['/api/docs', 'text/html; charset=utf-8'],
  ['/api/docs/docs.css', 'text/css; charset=utf-8'],
  ['/api/docs/docs.js', 'text/javascript; charset=utf-8'],
] as const

let app: TestApp
let caller: TestCaller
beforeAll(async () => {
  app = await testApp()
  caller = await app.as([])
})
afterAll(() => app.close())

describe.each(FILES)('%s', (path, type) => {
  test('needs a session or key', async () => {
    expect((await app.guest('GET', path)).status).toBe(401)
    const response = await caller.request('GET', path)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
  })

  test('is sent again only when it has changed', async () => {
    const { headers } = await caller.request('GET', path)
    const again = await caller.request('GET', path, undefined, { 'If-None-Match': headers.get('etag') ?? '' })
    expect([again.status, await again.text()]).toEqual([304, ''])
    expect(headers.get('cache-control')).toBe('private, no-cache')
  })

  test('is compressed if the client accepts it', async () => {
    const plain = await (await caller.request('GET', path)).text()
    const response = await caller.request('GET', path, undefined, { 'Accept-Encoding': 'gzip' })
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(Buffer.from(Bun.gunzipSync(await response.arrayBuffer())).toString()).toBe(plain)
  })
})

describe('the page', () => {
  const page = async () => (await caller.request('GET', '/api/docs')).text()

  test('has every operation and raw route, but for those of another document', async () => {
    const html = await page()
    const described = routes.filter(({ ownDocument }) => !ownDocument)
    const names = [...Object.values(contracts).flatMap((set) => Object.values(set)), ...described].map(
      ({ name }) => name,
    )
    expect(names.filter((name) => !html.includes(`id="${name}"`))).toEqual([])
  })

  test.each([
    ['datacenters.create', '201'],
    ['datacenters.update', '200'],
    ['datacenters.delete', '204'],
  ])('shows the answer of %s itself, and not that of its dry run', async (name, status) => {
    const section = (await page()).split(`id="${name}"`)[1] ?? ''
    expect(/<h4>Answer <span class="status ok">(\d+)</.exec(section)?.[1]).toBe(status)
  })

  test('has no inline script, style or handler, and loads nothing from elsewhere', async () => {
    const html = await page()
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+="/)
    expect([...html.matchAll(/(?:src|<link[^>]*href)="([^"]*)"/g)].map(([, url]) => url)).toEqual([
      'data:,',
      '/api/docs/docs.css',
      '/api/docs/docs.js',
    ])
  })

  test('has no broken link', async () => {
    const html = await page()
    const ids = new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id))
    expect([...html.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id).filter((id) => !ids.has(id))).toEqual([])
  })

  test('uses each id once', async () => {
    const ids = [...(await page()).matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([])
  })
})

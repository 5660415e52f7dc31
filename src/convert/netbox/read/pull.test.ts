import { afterEach, expect, test } from 'bun:test'
import { restLists } from '../../../../testing/netbox/forms.ts'
import { createOutbound, type Outbound } from '../../../base/security/outbound.ts'
import { createTargetRules } from '../../../base/security/outbound-target.ts'
import { convertObjects } from '../netbox.ts'
import type { NetboxSource } from './objects.ts'
import { connectNetbox, type PullRequest } from './pull.ts'
import { readNetboxApi } from './read-api.ts'

const pullNetbox = async (over: Outbound, request: PullRequest): Promise<NetboxSource> =>
  readNetboxApi(await connectNetbox(over, request))

let server: ReturnType<typeof Bun.serve> | undefined
afterEach(async () => {
  await server?.stop(true)
  server = undefined
})

/** Sends as the server does, and takes the loopback address for a public one. */
const outbound = createOutbound({ rules: { ...createTargetRules(false), reach: () => 'public' } })
const strict = createOutbound({ rules: createTargetRules(false) })

const serve = (answer: (url: URL, request: Request) => Response): string => {
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => answer(new URL(request.url), request) })
  return `http://127.0.0.1:${server.port}`
}

/** A NetBox below a path, which wants a token. */
const netbox = (): string => {
  const lists = restLists('4.6')
  return serve(({ pathname }, request) => {
    if (request.headers.get('Authorization') !== 'Token abc') return new Response('{}', { status: 403 })
    const results = lists[pathname.replace(/^\/netbox\/api\/|\/$/g, '')]
    return results ? Response.json({ count: results.length, results }) : new Response('{}', { status: 404 })
  })
}

test.each(['/netbox', '/netbox/', '/netbox/api/'])('a NetBox at the path %s is read with its token', async (path) => {
  const { documents } = convertObjects(await pullNetbox(outbound, { url: netbox() + path, token: 'abc' }))
  expect(documents.devices).toHaveLength(9)
})

test.each([
  ['a token that is refused', 'other', 'token: may not read', '/netbox'],
  ['a token with a line break', 'a\nb', 'token: must be 1-255 visible ASCII characters', '/netbox'],
  ['an address with a query', 'abc', 'url: must have no query and no fragment', '/netbox?x=1'],
])('%s is an error on its field', async (_, token, message, path) => {
  await expect(pullNetbox(outbound, { url: netbox() + path, token })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    message: expect.stringContaining(message),
  })
})

test.each([
  ['http://127.0.0.1/', 'refused as a loopback'],
  ['http://10.0.0.1/', 'only with SSRF_ALLOW_PRIVATE_TARGETS=true'],
  ['ftp://example.net/', 'must begin with http:// or https://'],
])('the target %s is an error on url', async (url, message) => {
  await expect(pullNetbox(strict, { url, token: 'abc' })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    message: expect.stringContaining(message),
  })
})

test('a page that never ends is an error after 16 MiB', async () => {
  const chunk = new Uint8Array(65_536).fill(0x20)
  const url = serve(() => new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk) })))
  await expect(pullNetbox(outbound, { url, token: 'abc' })).rejects.toMatchObject({
    code: 'PROVIDER_UNREACHABLE',
    message: 'The NetBox answered with more than 16777216 bytes a page',
  })
})

test('a NetBox that does not answer is unreachable', async () => {
  const url = serve(() => new Response(''))
  await server?.stop(true)
  await expect(pullNetbox(outbound, { url, token: 'abc' })).rejects.toMatchObject({ code: 'PROVIDER_UNREACHABLE' })
})

test('the token is not sent to where the NetBox redirects', async () => {
  const seen: (string | null)[] = []
  const other = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      seen.push(request.headers.get('Authorization'))
      return new Response('{}', { status: 401 })
    },
  })
  try {
    const url = serve(() => Response.redirect(`http://127.0.0.1:${other.port}/`, 302))
    await expect(pullNetbox(outbound, { url, token: 'abc' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
    expect(seen).toEqual([null, null])
  } finally {
    await other.stop(true)
  }
})

/** Serves recorded answers on this machine. */
import { createIdentify, type RecordedCase } from '../record.ts'
import { encodeAnswer } from './replay.ts'

/** True for answers that one server gives. */
export const canServe = ({ url, answers }: RecordedCase): boolean =>
  url.startsWith('http') && answers.every(({ path }) => path.startsWith('/'))

/** Serves the answers of a case, or refuses all requests. */
export const serveAnswers = (content: RecordedCase) => {
  const { url, answers } = content
  const identify = createIdentify(content)
  const state = { isRefusing: false }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url)
      if (state.isRefusing) return new Response('', { status: 403 })
      const asked = identify({
        url: `${new URL(url).origin}${pathname}${search}`,
        method: request.method === 'POST' ? 'POST' : 'GET',
        headers: {},
        timeoutMs: 0,
        ...(request.method === 'POST' && { body: await request.bytes() }),
      })
      const found = answers.find(
        (one) => one.method === asked.method && one.path === asked.path && one.request === asked.request,
      )
      if (!found) return new Response('', { status: 404 })
      const { status, body, contentType } = encodeAnswer(found)
      return new Response(body, { status, headers: { 'content-type': contentType } })
    },
  })
  const { pathname, search } = new URL(url)
  const path = pathname === '/' && search === '' ? '' : `${pathname}${search}`
  return { state, url: `http://127.0.0.1:${server.port}${path}`, stop: () => server.stop(true) }
}

/** Serves recorded answers on this machine. */
import { isRecord } from '../../../contract/unknown.ts'
import { createIdentify, type RecordedCase } from '../record.ts'
import { encodeAnswer } from './replay.ts'

/** True for answers that one server gives. */
export const canServe = ({ url, answers }: RecordedCase): boolean =>
  url.startsWith('http') && answers.every(({ path }) => path.startsWith('/'))

/** Returns a JSON text with its lists empty. */
const emptyLists = (text: string): string => {
  const empty = (value: unknown): unknown => {
    if (Array.isArray(value)) return []
    if (!isRecord(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, empty(one)]))
  }
  return JSON.stringify(empty(JSON.parse(text)))
}

/** Returns the numbers of the answers that have a list with items. */
export const listLists = ({ answers }: RecordedCase): number[] =>
  [...answers.entries()].flatMap(([number, answer]) => {
    if (answer.status !== 200 || !('json' in answer)) return []
    const text = JSON.stringify(answer.json)
    return emptyLists(text) === text ? [] : [number]
  })

/** Serves the answers of a case, or refuses all requests. The lists of one answer may be empty. */
export const serveAnswers = (content: RecordedCase) => {
  const { url, answers } = content
  const identify = createIdentify(content)
  const state: { isRefusing: boolean; emptyAt: number | undefined } = { isRefusing: false, emptyAt: undefined }
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
      if (answers.indexOf(found) === state.emptyAt) return new Response(emptyLists(Buffer.from(body).toString()))
      return new Response(body, { status, headers: { 'content-type': contentType } })
    },
  })
  const { pathname, search } = new URL(url)
  const path = pathname === '/' && search === '' ? '' : `${pathname}${search}`
  return { state, url: `http://127.0.0.1:${server.port}${path}`, stop: () => server.stop(true) }
}

/**
 * Tells whether a request's URL has another path than the request line had. Bun resolves dot segments, also encoded ones, and turns
 * backslashes into slashes (WHATWG URL), after a reverse proxy has applied its rules to the path as it was sent. Bun's router sees the
 * path as it was sent: its patterns say how many segments that had.
 */
import type { BunRequest, Server } from 'bun'
import { split } from './exchange.ts'

/** More segments than any route or page has. */
const MAX_SEGMENTS = 16

/** Segments of the path as it was sent; undefined where it has an empty segment or more than 16. */
export type SentSegments = number | undefined

export type ByPath = (
  request: Request,
  server: Server<undefined>,
  isPathAltered: boolean,
) => Response | Promise<Response>

const DOT_SEGMENT = /\/(\.|%2e){1,2}(\/|$)/i

const countOf = (text: string, part: string): number => text.split(part).length - 1

/**
 * @param params the segments as they were sent, decoded
 * @example isAltered('/healthz', 3) // true: sent as /api/%2e%2e/healthz
 */
export const isAltered = (path: string, sent: SentSegments, params: Readonly<Record<string, string>> = {}): boolean => {
  // The target of CONNECT, which has no route.
  if (!path.startsWith('/')) return false
  // A URL that could not be parsed has not been resolved.
  if (DOT_SEGMENT.test(path)) return true
  const hasEmpty = path.includes('//') || (path.length > 1 && path.endsWith('/'))
  const segments = path === '/' ? 0 : countOf(path, '/')
  // Only `.` and `..` at the end make an empty segment, and only `..` removes one.
  if (sent === undefined) return !hasEmpty && segments <= MAX_SEGMENTS
  if (hasEmpty || segments !== sent) return true
  const backslashes = Object.values(params).reduce((sum, value) => sum + countOf(value, '\\'), 0)
  return backslashes > 0 && backslashes !== countOf(path.toLowerCase(), '%5c')
}

/** Routes and the fallback of `Bun.serve` that hand every request on, and whether its path was altered. */
export const byRawPath = (serve: ByPath) => {
  const answer = (request: Request, server: Server<undefined>, sent: SentSegments, params?: Record<string, string>) =>
    serve(request, server, isAltered(split(request.url)[0], sent, params))
  const patterns = Array.from({ length: MAX_SEGMENTS + 1 }, (_, sent) => {
    const pattern = `/${Array.from({ length: sent }, (_, i) => `:segment${i}`).join('/')}`
    const handler = (request: BunRequest, server: Server<undefined>) => answer(request, server, sent, request.params)
    return [pattern, handler] as const
  })
  return {
    routes: Object.fromEntries(patterns),
    fetch: (request: Request, server: Server<undefined>) => answer(request, server, undefined),
  }
}

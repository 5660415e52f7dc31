/** A server with control sequences in the names of all its objects, and checks of the command line's output. */
import { expect } from 'bun:test'
import { runCli } from '../../src/app/cli.ts'
import { contracts } from '../../src/app/contracts.ts'
import { toJsonSchema } from '../../src/contract/json-schema.ts'
import { parseHttp } from '../../src/kernel/http-route.ts'
import type { AnyOperation, OperationSet } from '../../src/kernel/operation.ts'
import { buildExample } from '../../src/surfaces/openapi/example.ts'
import { memoryIo } from '../memory-io.ts'

/** If this tail is at the beginning of a line, a raw line end has reached the output. */
const TAIL = 'TAIL'
export const HOSTILE = `n\u001b]0;title\u0007\u001b[2J\u009b31m\u0090\u007f\b\u202e\u2066\u200b\ufeff\r\n${TAIL}\n${TAIL}\r${TAIL}`
/** Replaces a line of progress. */
const CLEAR_LINE = '\r\u001b[K'
const RAW = /(?![\t\r\n])\p{Cc}|[\u202a-\u202e\u2066-\u2069\u200b\ufeff]/u

export const operations: readonly AnyOperation[] = Object.values<OperationSet>(contracts).flatMap((set) =>
  Object.values(set),
)

const hostile = (value: unknown): unknown => {
  if (typeof value === 'string') return HOSTILE
  if (Array.isArray(value)) return value.map(hostile)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hostile(inner)]))
}

export const answerOf = (op: AnyOperation): unknown => {
  const { schema, definitions } = toJsonSchema(op.output, 'output')
  return hostile(buildExample(schema, definitions))
}

export type Fetch = (target: string, init: RequestInit) => Promise<Response>

/** Answers every operation. */
export const answering: Fetch = async (target, init) => {
  const { pathname } = new URL(target)
  const op = operations.find(({ http }) => {
    const { method, path } = parseHttp(http)
    return method === init.method && new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname)
  })
  if (!op) throw new Error(`there is no ${init.method} ${pathname} ${HOSTILE}`)
  const answer = answerOf(op)
  return answer === null || answer === undefined ? new Response(null, { status: 204 }) : Response.json(answer)
}

/** Rejects every operation. */
export const refusing: Fetch = async () =>
  Response.json(
    { code: 'VALIDATION_ERROR', error: HOSTILE, details: [{ field: HOSTILE, message: HOSTILE }] },
    { status: 400 },
  )

type Run = {
  readonly argv: readonly string[]
  readonly fetch?: Fetch
  readonly isTty?: boolean
  readonly stdin?: string
  readonly env?: Readonly<Record<string, string>>
}

export type Shown = { readonly code: number; readonly text: string; readonly asked: number }

export const run = async ({ argv, fetch = answering, isTty = true, stdin = '', env = {} }: Run): Promise<Shown> => {
  let asked = 0
  const counted: Fetch = (target, init) => {
    asked++
    return fetch(target, init)
  }
  const all = { PLAT_URL: 'http://127.0.0.1:1', PLAT_TOKEN: 'plat_x', PLAT_DEBUG: '1', ...env }
  const { io, out, err } = memoryIo({ argv, env: all, stdin, fetch: counted, ...(isTty ? { columns: 100 } : {}) })
  const code = await runCli(io)
  return { code, text: `${out()}\n${err()}`.replaceAll(CLEAR_LINE, ''), asked }
}

/** Returns true if a terminal only displays the text. In a file, line ends are part of the texts of a CSV. */
export const isHarmless = (text: string, { isFile = false } = {}): boolean =>
  !RAW.test(text) && (isFile || !(/\r(?!\n)/.test(text) || new RegExp(`^${TAIL}`, 'm').test(text)))

export const expectHarmless = ({ text }: Pick<Shown, 'text'>, kind = {}): void =>
  expect(isHarmless(text, kind) ? '' : text).toBe('')

import { expect, test } from 'bun:test'
import { z } from 'zod'
import { createLogger } from '../../base/runtime/log.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Bound } from '../../kernel/context.ts'
import { operation } from '../../kernel/operation.ts'
import { callTool, createToolBox } from './call.ts'

const boom = operation({
  name: 'things.boom',
  summary: 'Break',
  http: 'POST /api/things/boom',
  effect: 'action',
  access: 'authenticated',
  mcp: 'listed',
  input: z.object({}),
  output: z.void(),
})
const bound: Bound<object> = { op: boom, handler: async () => undefined }
const caller: Caller = { userId: 'u', username: 'u', via: 'key', credentialId: 'k', permissions: new Set() }

test('a bug is logged whole with the request id, and not shown to the model', async () => {
  const lines: string[] = []
  const log = createLogger({ level: 'error', format: 'text', write: (line) => lines.push(line) })
  const run = async () => {
    throw new TypeError('table secret_things is broken')
  }
  const box = createToolBox([bound], { run, refused: async () => {} }, { make: run, apply: run, propose: run })
  const context = { caller, requestId: 'req-1', client: '192.0.2.1', signal: new AbortController().signal, log }
  const result = await callTool(box, 'thing_boom', {}, context)
  expect(result).toMatchObject({
    isError: true,
    structuredContent: { code: 'INTERNAL_ERROR', error: 'Something went wrong on the server', details: [] },
  })
  expect(JSON.stringify(result)).not.toContain('secret_things')
  expect(lines.join('')).toContain('req-1')
  expect(lines.join('')).toContain('secret_things')
})

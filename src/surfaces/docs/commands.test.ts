import { expect, test } from 'bun:test'
import { z } from 'zod'
import { operation } from '../../kernel/operation.ts'
import { buildOpenapi } from '../openapi/openapi.ts'
import { formatCurl, formatToolCall } from './commands.ts'
import { resolveParameters } from './operation-section.ts'

const things = {
  rename: operation({
    name: 'things.rename',
    summary: 'Rename a thing',
    http: 'PUT /api/things/{id}',
    access: 'things:update',
    input: z.object({ id: z.string().meta({ ref: 'things' }), name: z.string().meta({ examples: ["it's"] }) }),
    output: z.void(),
  }),
}
const doc = buildOpenapi({ things }, [], { version: '1' })

const call = () => {
  const entry = doc.paths['/api/things/{id}']?.put
  if (!entry) throw new Error('the operation is not in the document')
  return { method: 'put', path: '/api/things/{id}', entry, parameters: resolveParameters(doc, entry.parameters) }
}

test('the curl line is quoted for a shell', () => {
  expect(formatCurl(call(), doc)).toBe(
    [
      'curl -sS -X PUT "$PLAT_URL/api/things/THING_ID" \\',
      '  -H "Authorization: Bearer $PLAT_TOKEN" \\',
      "  -H 'Content-Type: application/json' \\",
      `  -d '{"name":"it'\\''s"}'`,
    ].join('\n'),
  )
})

test('the tool call names the operation that is no tool of its own', () => {
  expect(formatToolCall(call())).toBe(
    'call_operation {"operation":"things.rename","input":{"id":"THING_ID","name":"it\'s"}}',
  )
})

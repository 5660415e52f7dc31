// Names with control sequences of terminals: the command of every operation shows them escaped, in every format.
import { describe, expect, test } from 'bun:test'
import { getCommandWords } from '../../src/contract/command-name.ts'
import { toJsonSchema } from '../../src/contract/json-schema.ts'
import type { AnyOperation } from '../../src/kernel/operation.ts'
import { buildSpec } from '../../src/surfaces/cli/parse/operation-spec.ts'
import { buildExample } from '../../src/surfaces/openapi/example.ts'
import { expectHarmless, HOSTILE, isHarmless, operations, refusing, run } from '../../testing/hostile/hostile-names.ts'

/** Returns a call of an operation with its required fields, and one field to change if it is an update. */
const callOf = (op: AnyOperation): { readonly argv: readonly string[]; readonly stdin: string } => {
  const { schema, definitions } = toJsonSchema(op.input, 'input')
  const { args, flags } = buildSpec(op)
  const fields = Object.entries(schema.properties ?? {})
  const isArgument = (name: string): boolean => args.some(({ field }) => field === name)
  const changed = op.effect === 'update' ? fields.find(([name]) => !isArgument(name)) : undefined
  const given = fields
    .filter(([name]) => schema.required?.includes(name) || name === changed?.[0])
    .map(([name, field]) => [name, buildExample(field, definitions, name) || 'some text'] as const)
  const words = args.flatMap(({ field }) => given.flatMap(([name, value]) => (name === field ? String(value) : [])))
  const others = given.filter(([name]) => !isArgument(name))
  if (flags.some(({ names }) => names.includes('input')))
    return {
      argv: [...getCommandWords(op), ...words, '--input', '-'],
      stdin: JSON.stringify(Object.fromEntries(others)),
    }
  const flagged = others.flatMap(([name, value]) => {
    const flag = flags.find(({ field }) => field === name)
    return flag ? [`--${flag.names[0]}=${value}`] : []
  })
  return { argv: [...getCommandWords(op), ...words, ...flagged], stdin: '' }
}

test('the test finds a control sequence in unsafe output', () => {
  const raw = [HOSTILE, 'TAIL', 'a\u001b', 'a\u009b', 'a\u007f', 'a\r', 'a\u202e', 'a\u200b']
  expect(raw.filter((text) => isHarmless(text))).toEqual([])
  expect(isHarmless('a\\x1b\n\tb\r\nc')).toBe(true)
})

describe.each(operations.map((op) => [getCommandWords(op).join(' '), op] as const))('plat %s', (_, op) => {
  const { argv, stdin } = callOf(op)

  test.each(['table', 'name', 'yaml', 'json', 'csv'])('shows its answer as %s', async (format) => {
    expectHarmless(await run({ argv: [...argv, '-o', format], stdin }))
    // JSON in a pipe is unchanged, for programs.
    if (format === 'json') return
    expectHarmless(await run({ argv: [...argv, '-o', format], stdin, isTty: false }), { isFile: format === 'csv' })
  })

  test('the output shows only ids and refusals', async () => {
    expectHarmless(await run({ argv: [...argv, '-q'], stdin }))
    for (const more of [[], ['-o', 'json']])
      for (const isTty of [true, false])
        expectHarmless(await run({ argv: [...argv, ...more], stdin, fetch: refusing, isTty }))
  })
})

test('nearly all of these commands received an answer', async () => {
  const notAsked: string[] = []
  for (const op of operations) if ((await run(callOf(op))).asked === 0) notAsked.push(op.name)
  // Input generated from a schema does not satisfy every rule.
  expect(notAsked.length).toBeLessThan(operations.length / 10)
})

import { describe, expect, test } from 'bun:test'
import { readArguments, readLeading } from './args.ts'
import { createArgument, createFlag, type Spec } from './command.ts'
import { GLOBAL_FLAGS } from './globals.ts'

const spec: Spec = {
  args: [createArgument('name', ''), createArgument('size', '', { isRequired: false })],
  flags: [
    createFlag('name', '', { hint: 'TEXT' }),
    { ...createFlag('tags', '', { hint: 'TEXT', isList: true }), names: ['tags', 'tag'] },
    { ...createFlag('datacenter_id', '', { hint: 'DATACENTER' }), names: ['datacenter-id', 'datacenter'] },
    createFlag('enabled', ''),
    ...GLOBAL_FLAGS,
  ],
}
const read = (...words: string[]) => Object.fromEntries(readArguments(words, spec))

describe('valid arguments', () => {
  test.each<[string[], Record<string, string[]>]>([
    [[], {}],
    [['web'], { name: ['web'] }],
    [['web', '5'], { name: ['web'], size: ['5'] }],
    [['--name', 'web', '5'], { name: ['web'], size: ['5'] }],
    [['--tags', 'a', '--tag=b', '--tags', ''], { tags: ['a', 'b', ''] }],
    [['--datacenter', 'hq'], { datacenter_id: ['hq'] }],
    [['--datacenter_id=hq=1'], { datacenter_id: ['hq=1'] }],
    [['--enabled'], { enabled: ['true'] }],
    [['--no-enabled'], { enabled: ['false'] }],
    [['--enabled=false', 'web'], { enabled: ['false'], name: ['web'] }],
    [['-o', 'json'], { '@output': ['json'] }],
    [['-ojson'], { '@output': ['json'] }],
    [['-o=json'], { '@output': ['json'] }],
    [['-qo', 'csv'], { '@quiet': ['true'], '@output': ['csv'] }],
    [['--no-headers'], { '@no-headers': ['true'] }],
    [['--', '--tags'], { name: ['--tags'] }],
    [['-5'], { name: ['-5'] }],
    [['-'], { name: ['-'] }],
    [['--name=--x'], { name: ['--x'] }],
    [['--name', '-x'], { name: ['-x'] }],
  ])('%j', (words, texts) => {
    expect(read(...words)).toEqual(texts)
  })

  test('the last argument may take the rest', () => {
    const rest = { args: [createArgument('q', '', { isRest: true })], flags: [] }
    expect(Object.fromEntries(readArguments(['web', 'prod'], rest))).toEqual({ q: ['web', 'prod'] })
  })

  test('leading flags end at the first word', () => {
    const { texts, rest } = readLeading(['-o', 'json', 'device', '-q'], GLOBAL_FLAGS)
    expect(Object.fromEntries(texts)).toEqual({ '@output': ['json'] })
    expect(rest).toEqual(['device', '-q'])
  })
})

describe('invalid arguments', () => {
  test.each<[string[], string]>([
    [['--tgs', 'a'], 'unknown flag --tgs; did you mean --tags?'],
    [['--zzzzzzz'], 'unknown flag --zzzzzzz'],
    [['--no-tags'], 'unknown flag --no-tags'],
    [['-z'], 'unknown flag -z'],
    [['--name'], '--name needs a value'],
    [['--name', '--enabled'], '--name needs a value; one that begins with dashes goes into --name=--enabled'],
    [['--enabled=yes'], '--enabled must be true or false'],
    [['--no-enabled=true'], '--no-enabled takes no value'],
    [['a', '1', 'b'], 'unexpected argument "b"'],
  ])('%j', (words, message) => {
    expect(() => read(...words)).toThrow(message)
  })
})

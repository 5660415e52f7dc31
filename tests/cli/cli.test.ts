/** Checks the commands of all operations of the registry. A new operation that lacks something fails here. */
import { describe, expect, test } from 'bun:test'
import { program, runCli } from '../../src/app/cli.ts'
import { contracts } from '../../src/app/contracts.ts'
import { getCommandWords } from '../../src/contract/command-name.ts'
import { getInputSchema } from '../../src/contract/input-schema.ts'
import type { AnyOperation } from '../../src/kernel/operation.ts'
import { type Command, createFlag, getText } from '../../src/surfaces/cli/parse/command.ts'
import { loadCommands } from '../../src/surfaces/cli/parse/load-commands.ts'
import { buildOperationCommands } from '../../src/surfaces/cli/parse/operation-commands.ts'
import { INPUT_FIELD, UNSET_FIELD } from '../../src/surfaces/cli/parse/operation-spec.ts'
import { PROPOSE_FIELD } from '../../src/surfaces/cli/parse/proposal-flags.ts'
import { createCli } from '../../src/surfaces/cli/run.ts'
import { memoryIo } from '../../testing/memory-io.ts'

/** The others need a signed-in user, and no API key. */
const operations: AnyOperation[] = Object.values(contracts)
  .flatMap((set) => Object.values<AnyOperation>(set))
  .filter(({ session }) => session === undefined)
const derived = buildOperationCommands(contracts)
const all: readonly Command[] = await loadCommands(program)
const wordsOf = (command: Command) => command.words.join(' ')

const run = async (...argv: string[]) => {
  const { io, out, err } = memoryIo({ argv })
  return { code: await runCli(io), out: out(), err: err() }
}

describe('the registry', () => {
  test('every operation has exactly one command', () => {
    expect(derived.map(wordsOf)).toEqual(operations.map((op) => getCommandWords(op).join(' ')))
  })

  test('no two commands collide', () => {
    const words = all.map(wordsOf)
    expect(words.filter((one, i) => words.indexOf(one) !== i)).toEqual([])
  })

  test('no command begins with another', () => {
    const whole = all.filter(({ isPrefix }) => isPrefix !== true)
    const pairs = whole.flatMap((a) =>
      all.filter((b) => wordsOf(b).startsWith(`${wordsOf(a)} `)).map((b) => [wordsOf(a), wordsOf(b)]),
    )
    expect(pairs).toEqual([])
  })

  test.each(operations.map((op) => [op.name, op] as const))(
    '%s: every argument and flag is a field, and every field has one',
    (_, op) => {
      const spec = derived.find((command) => wordsOf(command) === getCommandWords(op).join(' '))?.spec()
      const fields = Object.keys(getInputSchema(op.input).properties ?? {})
      expect(spec?.args.map((arg) => arg.field)).toEqual([...(op.cli?.args ?? [])])
      const flags = spec?.flags ?? []
      const own = new Set([INPUT_FIELD, UNSET_FIELD, PROPOSE_FIELD])
      expect(flags.map((flag) => flag.field).filter((field) => !own.has(field))).toEqual(fields)
      const names = flags.flatMap((flag) => flag.names)
      expect(names).toEqual([...new Set(names)])
      for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/)
    },
  )

  /** These read better with their names: a length beside the id of a network, the ends of a cable, the result of a check, an input. */
  const REQUIRED_FLAGS = new Set(['prefix_length', 'a', 'b', 'state', 'fingerprint', 'input'])

  test.each(operations.map((op) => [op.name, op] as const))(
    '%s: a required field is an argument, has a preset, or is asked for',
    (_, op) => {
      const { required = [], properties = {} } = getInputSchema(op.input)
      const isList = (field: string) => properties[field]?.type === 'array'
      const isGiven = (field: string) =>
        REQUIRED_FLAGS.has(field) ||
        op.cli?.args?.includes(field) ||
        op.cli?.ask?.includes(field) ||
        Object.hasOwn(op.cli?.preset ?? {}, field)
      // Lists (the operations of a bulk call) and body-only fields come with flags or --input.
      expect(required.filter((field) => !isGiven(field) && !isList(field))).toEqual([])
    },
  )
})

describe('help', () => {
  test.each(all.map((command) => [wordsOf(command), command] as const))('plat %s --help', async (words, command) => {
    const { code, out, err } = await run(...command.words, '--help')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toStartWith(command.summary)
    expect(out).toContain(`plat ${words}`)
    expect(out).toEndWith('\n')
  })

  test('of an operation names route and permission', async () => {
    const { out } = await run('device', 'update', '-h')
    expect(out).toContain('Route:  PUT /api/devices/{id}')
    expect(out).toContain('Needs:  devices:update')
    expect(out).toContain('--datacenter-id, --datacenter DATACENTER')
  })

  test('of the program names every command', async () => {
    const { out } = await run('--help')
    for (const noun of new Set(derived.map((command) => command.words[0] ?? ''))) expect(out).toContain(noun)
    expect(out).not.toContain('__complete')
  })

  test('of a noun, by help and by --help', async () => {
    const asked = await run('device', '--help')
    expect(asked.out).toContain('device create')
    expect(asked.out).not.toContain('network create')
    expect(await run('help', 'device')).toEqual(asked)
  })

  test('an incomplete command fails', async () => {
    expect(await run('device')).toMatchObject({ code: 2, out: '' })
  })
})

describe('usage', () => {
  test.each<[string[], string]>([
    [['devise', 'list'], 'error: unknown command "devise"; did you mean device?\n'],
    [['device', 'lst'], 'error: unknown command "device lst"; did you mean list?\n'],
    [['device', 'list', '--tgs', 'x'], 'error: unknown flag --tgs; did you mean --tags?\n'],
    [
      ['device', 'list', '-o', 'jsn'],
      'error: --output must be one of table, json, yaml, csv, name; did you mean json?\n',
    ],
    [['network', 'create'], 'error: NAME and SUBNET missing\n'],
    [['device', 'update', 'x'], 'error: nothing to change: give a flag, --unset FIELD or --input FILE\n'],
    [['device', 'update', 'x', '--unset', 'nam'], 'error: --unset: there is no field nam; did you mean name?\n'],
    [
      ['device', 'create', 'x', '--addresses', 'ip=10.0.0.1,lable=y'],
      'error: addresses[0].lable: unknown field; did you mean label?\n',
    ],
    [
      ['network', 'create', 'n', '10.0.0.0/99'],
      'error: subnet: must be an IPv4 or IPv6 network with a prefix length, like 10.0.0.0/24\n',
    ],
    [['--url', 'ftp://x', 'device', 'list'], 'error: "ftp://x" is not the URL of a server\n'],
  ])('%j', async (argv, err) => {
    expect(await run(...argv)).toEqual({ code: 2, out: '', err })
  })

  test('every bad field is named on a line of its own', async () => {
    const { code, err } = await run('network', 'create', ' ', 'x', '--vlan-id', '5000')
    expect(code).toBe(2)
    expect(err).toStartWith('error: 3 fields are wrong\n  name: must not be blank\n  subnet: ')
  })

  test('with -o json errors are JSON', async () => {
    const { code, err } = await run('device', 'lst', '-o', 'json')
    expect(code).toBe(2)
    expect(JSON.parse(err)).toEqual({
      code: 'INVALID_INPUT',
      error: 'unknown command "device lst"; did you mean list?',
      details: [],
    })
  })

  test('no server', async () => {
    const { io, err } = memoryIo({ argv: ['device', 'list'], fetch: () => Promise.reject(new Error('no route')) })
    expect(await runCli(io)).toBe(6)
    expect(err()).toBe("error: Can't reach http://localhost:8080: no route\n")
  })

  test('a bug is one line, with its stack trace only on request', async () => {
    const broken = { argv: ['serve', '--listen-addr', 'nonsense'], env: {} }
    const quiet = memoryIo(broken)
    expect(await runCli(quiet.io)).toBe(1)
    expect(quiet.err()).toStartWith('error: ')
    expect(quiet.err()).not.toContain('\n    at ')
    const loud = memoryIo({ ...broken, env: { PLAT_DEBUG: '1' } })
    await runCli(loud.io)
    expect(loud.err()).toContain('    at ')
  })

  test('a closed output pipe is no failure', async () => {
    const { io, err } = memoryIo({ argv: ['--help'], closesAfter: 0 })
    expect(await runCli(io)).toBe(0)
    expect(err()).toBe('')
  })
})

test('a flag of the command hides a global one of its name', async () => {
  const seen: unknown[] = []
  const create: Command = {
    words: ['hook', 'create'],
    summary: 'x',
    spec: () => ({ args: [], flags: [createFlag('url', '', { hint: 'URL' })] }),
    run: async ({ globals }, texts) => {
      seen.push(globals.url, getText(texts, 'url'))
      return 0
    },
  }
  const cli = createCli({ version: '0', contracts: async () => ({}), specials: [create] })
  await cli(memoryIo({ argv: ['--url', 'http://plat', 'hook', 'create', '--url', 'http://hook'] }).io)
  expect(seen).toEqual(['http://plat', 'http://hook'])
})

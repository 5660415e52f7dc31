// Every entry is one line, without secrets, and never throws, whatever is logged.
import { describe, expect, test } from 'bun:test'
import { createLogger, LOG_LEVELS, type LogFields, type LoggerOptions } from './log.ts'

const TIME = '2026-01-02T03:04:05.678Z'

function recorder(options: Partial<LoggerOptions> = {}) {
  const entries: string[] = []
  const write = (entry: string) => entries.push(entry)
  const log = createLogger({ level: 'debug', format: 'text', now: () => new Date(TIME), write, ...options })
  return { log, entries }
}

function text(message: string, fields?: LogFields): string {
  const { log, entries } = recorder()
  log.info(message, fields)
  return entries.join('')
}

function json(fields: LogFields): Record<string, unknown> {
  const { log, entries } = recorder({ format: 'json' })
  log.info('m', fields)
  return JSON.parse(entries.join(''))
}

test.each(LOG_LEVELS.map((level, index) => [level, LOG_LEVELS.slice(index)] as const))(
  'level %s lets through %j',
  (level, expected) => {
    const { log, entries } = recorder({ level, format: 'json' })
    for (const each of LOG_LEVELS) log[each]('m')
    expect(entries.map((entry) => JSON.parse(entry).level)).toEqual([...expected])
  },
)

test('an entry below the level is not even looked at', () => {
  const { log, entries } = recorder({ level: 'info' })
  log.debug('m', {
    get costly(): string {
      throw new Error('was read')
    },
  })
  expect(entries).toEqual([])
})

describe('text', () => {
  test.each<[string, LogFields | undefined, string]>([
    ['listening', { port: 8080, tls: false, host: 'localhost' }, 'listening port=8080 tls=false host=localhost'],
    ['no fields', undefined, 'no fields'],
    [
      'quotes',
      { a: 'two words', b: '', c: 'x=y', d: 'say "hi"' },
      'quotes a="two words" b="" c="x=y" d="say \\"hi\\""',
    ],
    ['objects', { filter: { tag: 'a b' }, list: [1, null] }, 'objects filter={"tag":"a b"} list=[1,null]'],
    ['left out', { a: undefined, b: 1 }, 'left out b=1'],
    ['two\nlines', { 'a b': 'c\r\nd' }, '"two\\nlines" "a b"="c\\r\\nd"'],
    ['user=admin', {}, '"user=admin"'],
    ['escape \u001b[2J', { a: '\u0085\u2028\u202e' }, '"escape \\u001b[2J" a="\\u0085\\u2028\\u202e"'],
  ])('%j %j', (message, fields, expected) => {
    expect(text(message, fields)).toBe(`${TIME} INFO  ${expected}\n`)
  })

  test('an error is followed by its stack and its causes, all indented', () => {
    const cause = new TypeError(`no route\n${TIME} INFO  forged`)
    const lines = text('failed', { error: new Error('bad day', { cause }), attempt: 2 })
      .trimEnd()
      .split('\n')
    expect(lines[0]).toBe(`${TIME} INFO  failed error="Error: bad day" attempt=2`)
    expect(lines.slice(1).every((line) => line.startsWith('    '))).toBe(true)
    expect(lines).toContain(`    caused by "TypeError: no route\\n${TIME} INFO  forged"`)
    expect(lines.some((line) => line.includes('log.test.ts'))).toBe(true)
  })
})

describe('json', () => {
  test('one object a line', () => {
    const { log, entries } = recorder({ format: 'json' })
    log.warn('two\nlines \u2028', { port: 1, nested: { a: [true] } })
    expect(entries).toEqual([
      `{"time":"${TIME}","level":"warn","message":"two\\nlines \\u2028","port":1,"nested":{"a":[true]}}\n`,
    ])
  })

  test('a field cannot replace the time, level or message', () => {
    expect(json({ level: 'x', message: 'y', time: 'z', __proto__: null, constructor: 1 })).toEqual({
      time: TIME,
      level: 'info',
      message: 'm',
      _level: 'x',
      _message: 'y',
      _time: 'z',
      constructor: 1,
    })
  })

  test('an error keeps its name, message, code, stack and causes', () => {
    const error = Object.assign(new Error('outer', { cause: new RangeError('inner', { cause: 'deep' }) }), {
      code: 'E1',
    })
    expect(json({ error })).toMatchObject({
      error: {
        name: 'Error',
        message: 'outer',
        code: 'E1',
        stack: expect.stringContaining('log.test.ts'),
        cause: { name: 'RangeError', message: 'inner', cause: 'deep' },
      },
    })
  })

  test('an aggregate error lists its errors', () => {
    expect(json({ error: new AggregateError([new Error('a')], 'all') })).toMatchObject({
      error: { message: 'all', errors: [{ message: 'a' }] },
    })
  })
})

test('secrets are redacted at any depth, also in maps, headers and toJSON', () => {
  const fields = {
    password: 'x',
    user: { apiKey: 'x', name: 'n' },
    list: [{ token: 'x' }],
    map: new Map([['secret', 'x']]),
    headers: new Headers({ Authorization: 'x', Cookie: 'x' }),
    own: { toJSON: () => ({ community: 'x' }) },
    url: new URL('https://me:x@plat.example.com/a'),
  }
  expect(json(fields)).toMatchObject({
    password: '[redacted]',
    user: { apiKey: '[redacted]', name: 'n' },
    list: [{ token: '[redacted]' }],
    map: { secret: '[redacted]' },
    headers: { authorization: '[redacted]', cookie: '[redacted]' },
    own: { community: '[redacted]' },
    url: 'https://plat.example.com/a',
  })
  expect(text('m', { password: new Error('x') })).toBe(`${TIME} INFO  m password=[redacted]\n`)
})

describe('nothing that is logged throws', () => {
  const circular: Record<string, unknown> = { a: 1 }
  circular.self = circular
  const loop = new Error('loop')
  loop.cause = loop
  const shared = {}
  const deep = JSON.parse(`${'{"a":'.repeat(1000)}null${'}'.repeat(1000)}`)
  const trap = {
    get value(): string {
      throw new Error('trap')
    },
  }
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()

  test.each<[string, unknown, unknown]>([
    ['a cycle', circular, { a: 1, self: '[circular]' }],
    ['an error that causes itself', loop, expect.objectContaining({ cause: '[circular]' })],
    ['a bigint', 2n ** 70n, '1180591620717411303424'],
    ['NaN', Number.NaN, 'NaN'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
    ['a function', () => 1, '[function]'],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['an invalid date', new Date(Number.NaN), 'Invalid Date'],
    ['bytes', new Uint8Array(3), '[3 bytes]'],
    ['a set', new Set([1, 2]), [1, 2]],
    ['a getter that throws', trap, '[unreadable]'],
    ['a revoked proxy', revoked.proxy, '[unreadable]'],
    ['the same object twice', [shared, shared], [{}, {}]],
  ])('%s', (_name, value, expected) => {
    expect(json({ value }).value).toEqual(expected)
    expect(text('m', { value })).toStartWith(`${TIME} INFO  m value=`)
  })

  test('deep nesting is cut', () => {
    expect(text('m', { deep })).toEndWith('"[too deep]"}}}}}}}}\n')
  })

  test('fields that cannot be copied', () => {
    expect(text('m', trap)).toBe(`${TIME} INFO  m fields=[unreadable]\n`)
  })
})

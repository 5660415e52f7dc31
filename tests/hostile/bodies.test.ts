/**
 * Bodies that once stopped the server, or took all of its memory: they are refused with small answers, in little memory, and the event
 * loop goes on.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { INVENTORY } from '../../src/inventory/resources.ts'
import { parseHttp } from '../../src/kernel/http-route.ts'
import { type ServerChild, type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'
import { takeOneIn } from '../../testing/cases.ts'
import { KINDS, type Kind } from '../../testing/estates/kinds.ts'

const MB = 1024 * 1024
/** An answer holds 100 errors in the text and in the details. */
const MAX_ANSWER = 64 * 1024
/** A turn may take 50 ms. On a machine that other tests use as well, the same work takes longer. */
const MAX_STALL_MS = 150
/** Beyond the body itself, which is in memory once. */
const MAX_GROWTH = 400 * MB
const TIMEOUT_MS = 60_000

const main = join(import.meta.dir, '../../testing/servers/stalls-main.ts')

const fields = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, i) => `"k${(from + i).toString(36)}":1`).join(',')
const repeat = (item: string, count: number): string => Array<string>(count).fill(item).join(',')
const fill = (item: string, bytes: number): string => repeat(item, Math.floor(bytes / (item.length + 1)))
const create = (noun: string, body: string): string => `{"op":"create","${noun}":{"name":1,${body}}}`
const bulk = (noun: string, body: string, more = ''): string =>
  `{"operations":[${repeat(create(noun, body), 1000)}]${more}}`
const tool = (operation: string, input: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_operation","arguments":{"operation":"${operation}","input":${input}}}}`
const badAddresses = `"addresses":[${repeat('{"ip":1,"type":7}', 100)}]`
/** Rows with 900 values of custom fields, each of another name. */
const manyNames = Array.from({ length: 500 }, (_, row) => `{"name":"a${row}","custom":{${fields(900, row * 900)}}}`)

const APPLY = '/api/estate/apply?dry_run=true'
const IMPORT = '/api/estate/import?resource=devices&dry_run=true'

type Case = readonly [title: string, path: string, body: () => string]

const CASES: readonly Case[] = [
  ['an apply of 1,000,000 unknown lists', APPLY, () => `{${fields(1_000_000)}}`],
  ['an apply of one list with a name of 10 MB', APPLY, () => `{"${'k'.repeat(10 * MB)}":1}`],
  ['an apply of a row with a field of 900 KB', APPLY, () => `{"devices":[{"name":"a","${'k'.repeat(900_000)}":1}]}`],
  ['an apply of 1,000,000 custom values', APPLY, () => `{"devices":[{"name":"a","custom":{${fields(1_000_000)}}}]}`],
  ['an apply of 450,000 custom values in 500 rows', APPLY, () => `{"devices":[${manyNames.join(',')}]}`],
  ['an apply nested 5,000,000 times', APPLY, () => `{"devices":[${'['.repeat(5_000_000)}${']'.repeat(5_000_000)}]}`],
  [
    'an apply of 10 MB of lists in lists',
    APPLY,
    () => `{"devices":[${fill('['.repeat(58) + ']'.repeat(58), 10 * MB)}]}`,
  ],
  ['an apply of 36 MB of numbers as rows', APPLY, () => `{"devices":[${fill('1', 36 * MB)}]}`],
  ['an apply of 1,000,000 wrong tags', APPLY, () => `{"devices":[{"name":"a","tags":[${repeat('1', 1_000_000)}]}]}`],
  ['a create of wrong values of addresses', '/api/devices', () => `{"name":"a",${badAddresses}}`],
  ['1,000 devices of 900 unknown fields', '/api/devices/bulk', () => bulk('device', fields(900))],
  ['1,000 networks of 1,000 unknown fields', '/api/networks/bulk', () => bulk('network', fields(1000))],
  ['1,000 devices of 1,000 wrong tags', '/api/devices/bulk', () => bulk('device', `"tags":[${repeat('1', 1000)}]`)],
  ['1,000 devices of 200 wrong values', '/api/devices/bulk', () => bulk('device', badAddresses)],
  ['15 MB of numbers as operations', '/api/devices/bulk', () => `{"operations":[${fill('1', 15 * MB)}]}`],
  ['a tool call of 60,000 unknown fields', '/mcp', () => tool('devices.create', `{${fields(60_000)}}`)],
  ['a tool call of 900 unknown fields', '/mcp', () => tool('devices.create', `{${fields(900)}}`)],
  ['a tool call of an unknown field of 900 KB', '/mcp', () => tool('devices.create', `{"${'k'.repeat(900_000)}":1}`)],
  ['a tool call of an apply of unknown lists', '/mcp', () => tool('estate.apply', `{${fields(900)}}`)],
  [
    'a tool call of 400,000 wrong tags',
    '/mcp',
    () => tool('devices.create', `{"name":"a","tags":[${repeat('1', 400_000)}]}`),
  ],
  ['a tool call of 1,000 bad operations', '/mcp', () => tool('devices.bulk', bulk('device', fields(80)))],
  [
    'an import of 19,000 custom values a row',
    IMPORT,
    () => `[${repeat(`{"name":"a","custom":{${fields(19_000)}}}`, 20)}]`,
  ],
]

const toImport = (resource: string): string => `/api/estate/import?resource=${resource}&dry_run=true`
const toCreate = ({ create }: Kind): string => parseHttp(create.http).path.replace(/\{\w+\}/g, 'none')

const CREATES: readonly Case[] = KINDS.map((kind) => [
  `a create of 90,000 custom values of ${kind.resource}`,
  toCreate(kind),
  () => `{"name":"a","custom":{${fields(90_000)}}}`,
])
const ROWS: readonly Case[] = INVENTORY.flatMap((resource): Case[] => [
  [
    `an apply of 90,000 bad rows of ${resource}`,
    APPLY,
    () => `{"${resource}":[${repeat('{"name":1,"zz":1,"tags":5}', 90_000)}]}`,
  ],
  [
    `an import of 20,000 bad rows of ${resource}`,
    toImport(resource),
    () => `[${repeat('{"name":1,"tags":[1,2,3],"custom":{"a":{}}}', 20_000)}]`,
  ],
])

describe('the server refuses', () => {
  let folder: ServerFolder
  let server: ServerChild
  let heard: ((ms: number) => void) | undefined
  beforeAll(async () => {
    folder = await serverFolder({ RATE_LIMIT_ENABLED: 'false' })
    const onLog = (text: string) => {
      const [, ms] = /"message":"stall","ms":(\d+)/.exec(text) ?? []
      if (ms !== undefined) heard?.(Number(ms))
    }
    server = await folder.start({ program: [main], onLog })
    // The first call of each kind makes its schemas.
    for (const [path, body] of [
      [APPLY, '{"devices":[{"name":"a"}]}'],
      [IMPORT, '[{"name":"a"}]'],
      ['/api/devices/bulk', bulk('device', '"x":1', ',"dry_run":true')],
      ['/api/networks/bulk', bulk('network', '"x":1', ',"dry_run":true')],
      ['/mcp', tool('devices.create', '{"x":1}')],
      ['/mcp', tool('devices.bulk', '{"x":1}')],
      ['/mcp', tool('estate.apply', '{"x":1}')],
      ...KINDS.map((kind) => [toCreate(kind), '{"x":1}'] as const),
      ...INVENTORY.map((resource) => [toImport(resource), '[{"x":1}]'] as const),
    ] as const)
      await post(path, body)
  }, TIMEOUT_MS)
  afterAll(() => folder.remove())

  const post = async (path: string, body: string) => {
    const headers = {
      Authorization: `Bearer ${folder.key}`,
      'Content-Type': 'application/json',
      Accept: path === '/mcp' ? 'application/json, text/event-stream' : 'application/json',
    }
    const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body })
    return { status: response.status, text: await response.text() }
  }

  /** Returns the longest standstill since the last call, in milliseconds. */
  const measureStall = async (): Promise<number> => {
    // The timer counts a turn after its end.
    await Bun.sleep(20)
    const { promise, resolve } = Promise.withResolvers<number>()
    heard = resolve
    process.kill(server.pid, 'SIGUSR2')
    return promise
  }

  const readMemory = (name: 'VmRSS' | 'VmHWM'): number =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) * 1024

  test.each([...takeOneIn(4, CASES), ...CREATES, ...takeOneIn(8, ROWS)])(
    '%s',
    async (_, path, make) => {
      const body = make()
      await measureStall()
      // Resets the peak (proc_pid_clear_refs(5)).
      writeFileSync(`/proc/${server.pid}/clear_refs`, '5')
      const before = readMemory('VmRSS')
      const { status, text } = await post(path, body)
      const stallMs = await measureStall()
      const growth = readMemory('VmHWM') - before - body.length
      const isRefused = status === 400 || /"isError":true|"failed":(?!0)/.test(text)
      expect({
        isRefused,
        isSmall: text.length < MAX_ANSWER,
        stallMs: stallMs < MAX_STALL_MS ? 'short' : stallMs,
        growth: growth < MAX_GROWTH ? 'little' : growth,
      }).toEqual({ isRefused: true, isSmall: true, stallMs: 'short', growth: 'little' })
    },
    TIMEOUT_MS,
  )
})

/** Small files that grow: each is refused by a bound of its format, or by one of the process, and the server stays. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testAll } from '../../testing/cases.ts'
import { outcomeOf } from '../../testing/hostile/hostile-files.ts'
import { findChildren } from '../base/child/testing/children.ts'
import { readWhole } from '../base/jobs/bounded-job.ts'
import { AppError } from '../contract/errors.ts'
import { withSourceRules } from '../contract/fields/row-rules.ts'
import * as sheets from '../inventory/sheets.ts'
import { type ConversionBounds, computeBounds, createConverter } from './convert.ts'
import type { LazyConversion } from './converter.ts'
import { createCsvConverter } from './csv.ts'
import type { Format } from './formats.ts'
import { convertNmap } from './hosts/nmap.ts'
import { convertZone } from './hosts/zone.ts'

const convertCsv = createCsvConverter(sheets)

const MEBIBYTE = 2 ** 20
const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('a zone', () => {
  const inZone = (...lines: readonly string[]) => outcomeOf(convertZone, encode(`$ORIGIN x.\n${lines.join('\n')}\n`))

  test('a zone is refused if its $GENERATE lines make more records together than a file may', async () => {
    const lines = Array.from({ length: 30 }, (_, i) => `$GENERATE 0-65535 h${i}-$ A 10.0.0.1`)
    expect(await inZone(...lines)).toBe('line 6: has a $GENERATE with which the file makes more than 262144 records')
  })

  test('a zone is accepted if its $GENERATE lines make as many records as a file may', async () => {
    const lines = Array.from({ length: 4 }, (_, i) => `$GENERATE 0-65535 h${i}-$ TXT a`)
    expect(await inZone(...lines)).toBe('document')
  })

  test('a zone is refused if its $GENERATE lines make more characters than a file may', async () => {
    expect(await inZone(`$GENERATE 0-65535 h$ TXT ${'a'.repeat(1000)}`)).toBe(
      'line 2: has a $GENERATE with which the file makes more than 16777216 characters',
    )
  })

  test('with a range beyond the numbers of BIND', async () => {
    expect(await inZone('$GENERATE 9007199254740992-9007199254740993 h$ A 10.0.0.1')).toBe(
      'line 2: has a $GENERATE beyond 2147483647',
    )
  })

  const LABEL = 'a'.repeat(63)
  /** 255 octets with the length octets of four labels and the root. */
  const NAME = [LABEL, LABEL, LABEL, 'a'.repeat(61)].join('.')

  test.each([
    ['a label of 63 octets', `${LABEL} A 10.0.0.1`, 'document'],
    ['a label of 64 octets', `${LABEL}a A 10.0.0.1`, 'line 2: has a name with a label of more than 63 octets'],
    ['a label of 63 octets, some of them escaped', `${'\\097\\.'.repeat(31)}a A 10.0.0.1`, 'document'],
    [
      'a label of 64 octets, all of them escaped',
      `${'\\097\\.'.repeat(32)} A 10.0.0.1`,
      'line 2: has a name with a label of more than 63 octets',
    ],
    ['a name of 255 octets', `${NAME}. A 10.0.0.1`, 'document'],
    ['a name of 256 octets', `${NAME}a. A 10.0.0.1`, 'line 2: has a name of more than 255 octets'],
    ['a relative name of 256 octets', `${NAME.slice(0, -1)} A 10.0.0.1`, 'line 2: has a name of more than 255 octets'],
    ['an origin of 256 octets', `$ORIGIN ${NAME}a.`, 'line 2: has a name of more than 255 octets'],
    ['a target of 256 octets', `a CNAME ${NAME}a.`, 'line 2: has a name of more than 255 octets'],
  ])('with %s', async (_, line, outcome) => {
    expect(await inZone(line, 'other A 10.0.0.2')).toBe(outcome)
  })
})

describe('a scan of nmap', () => {
  const scanOf = (addresses: number, ports: number): Uint8Array =>
    encode(
      `<nmaprun><host><status state="up"/>${Array.from({ length: addresses }, (_, i) => `<address addr="10.0.${i >> 8}.${i & 255}" addrtype="ipv4"/>`).join('')}<ports>${Array.from(
        { length: ports },
        (_, i) => `<port protocol="tcp" portid="${i + 1}"><state state="open"/><service name="s"/></port>`,
      ).join('')}</ports></host><runstats/></nmaprun>`,
    )
  const convert = async (addresses: number, ports: number): Promise<LazyConversion> =>
    convertNmap(scanOf(addresses, ports), { now: new Date(0) })

  test('gives a host up to 16 addresses with up to 1000 services each, and leaves over the others', async () => {
    const { documents, report, leftover, ...rest } = await convert(4000, 4000)
    const hosts = [...rest.hosts]
    expect([hosts.length, hosts[0]?.services?.length, hosts[0]?.open_ports?.length]).toEqual([16, 1000, 1000])
    expect(documents.devices?.length).toBe(16)
    expect(report.left.filter(({ why }) => why.includes('too many'))).toMatchObject([
      {
        what: 'host',
        count: 3984,
        why: 'is one address too many of its host',
        example: '{"ip":"10.0.0.16","host":"10.0.0.0"}',
      },
      {
        what: 'host.service',
        count: 3000,
        why: 'is one service too many of its host',
        example: '{"ip":"10.0.0.0","value":"1001/tcp s"}',
      },
    ])
    expect(leftover['host.service']?.[0]).toEqual({ ip: '10.0.0.0', value: '1001/tcp s' })
  })

  test('leaves over nothing of a host within these bounds', async () => {
    const { hosts, report } = await convert(16, 1000)
    expect([[...hosts].length, report.left.filter(({ why }) => why.includes('too many'))]).toEqual([16, []])
  })
})

describe('a spreadsheet', () => {
  const inSheet = (columns: readonly string[]) =>
    outcomeOf(
      (bytes, options) => convertCsv(bytes, { ...options, mapping: { resource: 'devices' } }),
      encode(`${columns.join(',')}\na\n`),
    )
  const named = (count: number) => ['name', ...Array.from({ length: count - 1 }, (_, i) => `column ${i}`)]

  test('with as many columns as a sheet has is read', async () => {
    expect(await inSheet(named(16_384))).toBe('document')
  })

  test.each([
    ['more columns than a sheet has', named(16_385), 'line 1: names more than 16384 columns'],
    ['100,000 columns', named(100_000), 'line 1: names more than 16384 columns'],
    ['a name of 1001 characters', ['name', 'x'.repeat(1001)], 'line 1: names column 2 with more than 1000 characters'],
  ])('with %s is refused', async (_, columns, outcome) => {
    expect(await inSheet(columns)).toBe(outcome)
  })
})

describe('the bounds of the process', () => {
  test.each([
    [512, 256, 1],
    [1024, 640, 1],
    [2048, 1664, 1],
    [4096, 1856, 2],
    [65_536, 4096, 2],
  ])('of a machine of %i MiB are %i MiB for a conversion', (machine, memory, atOnce) => {
    const bounds = computeBounds(machine * MEBIBYTE)
    expect([bounds.memoryBytes / MEBIBYTE, bounds.atOnce]).toEqual([memory, atOnce])
  })
})

describe('a process', () => {
  let dir: string
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'plat-convert-'))
  })
  afterAll(() => rmSync(dir, { recursive: true, force: true }))

  const children = () => findChildren('convert-child')
  async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
  }
  type Given = { bounds?: Partial<ConversionBounds>; signal?: AbortSignal; format?: Format }
  const convert = async (
    file: string,
    { bounds, signal = new AbortController().signal, format = 'zone' }: Given = {},
  ) => {
    const bytes = encode(file)
    const output = await createConverter(
      dir,
      bounds,
    )({
      job: { format, withLeftover: true, options: { nowMs: 0, mapping: { resource: 'devices' } } },
      field: 'file',
      bytes: piecesOf(bytes),
      length: bytes.length,
      owner: { group: 'somebody', key: 'somebody' },
      signal,
    })
    const whole = await readWhole(output)
    await output.close()
    return whole
  }
  const refusal = async (promise: Promise<unknown>): Promise<string | undefined> => {
    const error = await promise.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    if (!(error instanceof AppError)) throw error
    expect([error.status, error.details.map(({ field }) => field), children()]).toEqual([400, ['file'], []])
    return error.details[0]?.message
  }
  const LARGE = `$ORIGIN x.\n${'a A 10.0.0.1\n'.repeat(400_000)}`

  testAll(
    'gives the bytes of the conversion, also of a file and an answer that are larger than its pipes',
    async () => {
      const zone = `$ORIGIN x.\n${Array.from({ length: 20_000 }, (_, i) => `ü${i} A 10.1.${i >> 8}.${i & 255} ; äöü`).join('\n')}\n`
      const { leftover, ...result } = await convertZone(encode(zone), { now: new Date(0) })
      const documents = withSourceRules(result.documents)
      expect((await convert(zone)).toString()).toBe(JSON.stringify({ format: 'zone', ...result, documents, leftover }))
      expect(children()).toEqual([])
    },
  )

  test('that needs too much memory is ended', async () => {
    expect(await refusal(convert(LARGE, { bounds: { memoryBytes: 200 * MEBIBYTE } }))).toBe(
      'needs more than 200 MiB of memory',
    )
  })

  test('that takes too long is ended', async () => {
    expect(await refusal(convert(LARGE, { bounds: { ms: 300 } }))).toBe('takes longer than 0.3 s')
  })

  testAll('that gives too much is ended', async () => {
    const zone = `$ORIGIN x.\n${'a TXT abc\n'.repeat(100_000)}`
    expect(await refusal(convert(zone, { bounds: { outputBytes: MEBIBYTE } }))).toBe('gives more than 1 MiB of text')
  })

  test('that the system ends is a clear error', async () => {
    const running = refusal(convert(LARGE))
    while (children().length === 0) await Bun.sleep(1)
    for (const pid of children()) process.kill(pid, 'SIGKILL')
    expect(await running).toBe('its process was ended by SIGKILL: it may need too much memory')
  })

  test('ends with its request', async () => {
    const abort = new AbortController()
    const running = convert(LARGE, { signal: abort.signal }).catch((error: unknown) => error)
    while (children().length === 0) await Bun.sleep(1)
    abort.abort(new Error('gone'))
    expect(await running).toEqual(new Error('gone'))
    expect(children()).toEqual([])
  })

  test('passes on the error of the converter', async () => {
    expect(await refusal(convert('$INCLUDE x\n'))).toBe(
      'line 1: includes another file, which is not read: put them together first',
    )
  })
})

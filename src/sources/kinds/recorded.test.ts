/** Runs each kind over its recorded answers, and over answers that are wrong in their place. A new kind and a new case need no line here. */
import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { OutboundError } from '../../base/security/outbound-target.ts'
import { getEstateSchema } from '../../exchange/apply/json-schema.ts'
import { anonymizeCase } from '../fetch/anonymize.ts'
import { FetchError } from '../fetch/fetch-error.ts'
import { FetchLog } from '../fetch/fetch-log.ts'
import type { RecordedCase } from '../fetch/record.ts'
import { checkRows, fetchSnapshot } from '../fetch/run-job.ts'
import { type Case, isFetched, isPushed, listAllCases } from '../fetch/testing/cases.ts'
import { type Body, createReplay } from '../fetch/testing/replay.ts'
import type { Kind, RunErrorCode } from '../schema.ts'
import { SOURCE_KINDS } from './index.ts'
import { KINDS } from './names.ts'
import { type Json, SnapshotError, type SnapshotRows, type SourceKind } from './source-kind.ts'

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats(ajv)
const validate = ajv.compile(getEstateSchema() as object)

const TIMEOUT_MS = 60_000

const DOCS = readFileSync(join(import.meta.dirname, '../../../docs/sources.md'), 'utf8')

const cases = listAllCases()
const fetched = cases.filter(isFetched)
const pushed = cases.filter(isPushed)

const fetchCase = async (kind: SourceKind, content: RecordedCase, change?: Parameters<typeof createReplay>[1]) => {
  const { url, options, secrets, now } = content
  const log = new FetchLog(secrets)
  const job = { url, options: kind.Options.parse(options), secrets, nowMs: Date.parse(now) }
  const snapshot = await fetchSnapshot(kind, job, { send: createReplay(content, change), log, timeoutMs: TIMEOUT_MS })
  return { snapshot, facts: log.facts() }
}

const convertCase = async (
  kind: SourceKind,
  snapshot: Json,
  { options, now }: Pick<RecordedCase, 'options' | 'now'>,
) => {
  const rows = await kind.convert(snapshot, {
    options: kind.Options.parse(options),
    ref: kind.kind,
    now: new Date(now),
  })
  checkRows(rows)
  return rows
}

const readCase = async ({ kind, content }: Pick<Case, 'kind' | 'content'>) => {
  const snapshot = 'snapshot' in content ? content.snapshot : (await fetchCase(kind, content)).snapshot
  return { snapshot, rows: await convertCase(kind, snapshot, content) }
}

/** Returns a comparable form of rows. */
const toPlain = ({ documents, about, hosts, report }: SnapshotRows) => ({ documents, about: [...about], hosts, report })

/** Lists of snapshots in which the conversion only looks things up, so that an item of them may change nothing. */
const LOOKUPS: Partial<Record<Kind, readonly string[]>> = { docker: ['networks'], vcenter: ['containers'] }

/** Returns the snapshot without each item of its lists in turn. */
const listWithoutOne = ({ kind }: SourceKind, snapshot: Json) => {
  const members: readonly (readonly [name: string, value: Json])[] = Object.entries(snapshot ?? {})
  return members.flatMap(([name, list]) =>
    Array.isArray(list) && !LOOKUPS[kind]?.includes(name)
      ? list.map((item: Json) => {
          const less = list.filter((one) => one !== item)
          const without: Json = Object.fromEntries(
            members.map((member) => (member[0] === name ? [name, less] : member)),
          )
          return { name, item, without }
        })
      : [],
  )
}

const countEqual = (items: Iterable<string>, wanted: string): number =>
  [...items].filter((one) => one === wanted).length

describe.each(KINDS)('the kind %s', (name) => {
  test('is in the registry', () => {
    expect(SOURCE_KINDS[name]?.kind).toBe(name)
  })

  test('has recorded answers', () => {
    expect(cases.filter(({ kind }) => kind.kind === name)).not.toEqual([])
  })

  test('is in the table of docs/sources.md', () => {
    expect(DOCS).toContain(`\n| \`${name}\` | `)
  })
})

describe.each(cases.map((one) => [one.title, one] as const))('%s', (_, one) => {
  test('has its origin', () => {
    const file = join(one.folder, 'ORIGIN.md')
    expect(existsSync(file) ? readFileSync(file, 'utf8').length : 0).toBeGreaterThan(40)
  })

  test('gives rows that the schema of an estate takes', async () => {
    const { rows } = await readCase(one)
    validate(JSON.parse(JSON.stringify(rows.documents)))
    expect(validate.errors ?? []).toEqual([])
    expect(Object.values(rows.documents).flat().length + rows.hosts.length).toBeGreaterThan(0)
  })

  test('has each object in a row, or counted as left', async () => {
    const { rows } = await readCase(one)
    const { read, left } = rows.report
    const types = [...rows.about.values()].map(({ type }) => type)
    const counted = one.kind.types.flatMap((type) => {
      if (read[type] === undefined) return []
      const without = left.filter(({ what }) => what === type).reduce((sum, { count }) => sum + count, 0)
      return [[type, countEqual(types, type) + without]]
    })
    const wanted = one.kind.types.flatMap((type) => (read[type] === undefined ? [] : [[type, read[type]]]))
    expect(counted).toEqual(wanted)
    expect(Object.values(read).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0)
  })

  test('drops no object of its lists without counting it', async () => {
    const { snapshot, rows } = await readCase(one)
    const all = JSON.stringify(toPlain(rows))
    const dropped: string[] = []
    for (const { name, item, without } of listWithoutOne(one.kind, snapshot)) {
      const less = await convertCase(one.kind, without, one.content).then(
        (made) => JSON.stringify(toPlain(made)),
        () => 'refused',
      )
      if (less === all) dropped.push(`${name}: ${JSON.stringify(item).slice(0, 200)}`)
    }
    expect(dropped).toEqual([])
  })

  test('gives its keys by the ref of the source, each once', async () => {
    const { rows } = await readCase(one)
    for (const [resource, list] of Object.entries(rows.documents)) {
      const keys = list.flatMap(({ refs }) => (refs ? [JSON.stringify(refs)] : []))
      expect([resource, new Set(keys).size]).toEqual([resource, keys.length])
    }
  })

  test('gives the same again', async () => {
    const [first, second] = [await readCase(one), await readCase(one)]
    expect(JSON.stringify(second.snapshot)).toBe(JSON.stringify(first.snapshot))
    expect(JSON.stringify(toPlain(second.rows))).toBe(JSON.stringify(toPlain(first.rows)))
    // A snapshot that is pushed has passed through JSON.
    const again = await convertCase(one.kind, JSON.parse(JSON.stringify(first.snapshot)), one.content)
    expect(JSON.stringify(toPlain(again))).toBe(JSON.stringify(toPlain(first.rows)))
  })

  test('has no fact beyond its bounds', async () => {
    const { rows } = await readCase(one)
    for (const { facts = {} } of rows.about.values()) {
      expect(Object.keys(facts).length).toBeLessThanOrEqual(20)
      for (const [name, text] of Object.entries(facts))
        expect([name.length <= 32, text.length <= 255]).toEqual([true, true])
    }
  })
})

type Change = { readonly name: string; readonly code: RunErrorCode; readonly change: (answer: Body) => Body }

const replaceStatus = (name: string, code: RunErrorCode, status: number): Change => ({
  name,
  code,
  change: () => ({ status, body: new Uint8Array(), contentType: 'text/plain' }),
})
const PAGE = new TextEncoder().encode('<!DOCTYPE html>\n<html><head><title>Welcome</title></head></html>')
const CHANGES: readonly Change[] = [
  replaceStatus('401', 'unauthorized', 401),
  replaceStatus('403', 'forbidden', 403),
  replaceStatus('404', 'wrong_url', 404),
  replaceStatus('500', 'bad_answer', 500),
  {
    name: 'silence',
    code: 'timeout',
    change: () => {
      throw new OutboundError('no answer within 600 s', { failure: 'timeout' })
    },
  },
  { name: 'a web page', code: 'wrong_url', change: () => ({ status: 200, body: PAGE, contentType: 'text/html' }) },
  {
    name: 'half of itself',
    code: 'bad_answer',
    change: ({ body, ...answer }) => ({ ...answer, body: body.subarray(0, Math.floor(body.length / 2)) }),
  },
]

/** Returns the code of a failed fetch, and `warned` for one that goes on without an optional answer. */
const findOutcome = async (kind: SourceKind, content: RecordedCase, change: (answer: Body, number: number) => Body) => {
  const before = (await fetchCase(kind, content)).facts.warnings.length
  try {
    const { snapshot, facts } = await fetchCase(kind, content, change)
    // Some kinds find in the conversion that an answer is cut off.
    await convertCase(kind, snapshot, content)
    return facts.warnings.length > before ? 'warned' : 'unnoticed'
  } catch (error) {
    if (error instanceof FetchError) return error.message.length > 20 ? error.code : `${error.code} without a message`
    if (error instanceof SnapshotError) return 'bad_answer'
    throw error
  }
}

describe.each(fetched.map((one) => [one.title, one] as const))('%s, fetched', (_, { kind, content }) => {
  test('has no secret in its snapshot, rows and log', async () => {
    const { snapshot, facts } = await fetchCase(kind, content)
    const rows = await convertCase(kind, snapshot, content)
    const parts = Object.entries({ snapshot, rows: toPlain(rows), facts })
    const leaked = Object.entries(content.secrets).flatMap(([name, secret]) =>
      parts.flatMap(([part, value]) => (JSON.stringify(value).includes(secret) ? [`${name} is in the ${part}`] : [])),
    )
    expect(leaked).toEqual([])
  })

  test('gives as many rows after its names and addresses were replaced', async () => {
    const count = async (recorded: RecordedCase) => {
      const { rows } = await readCase({ kind, content: recorded })
      return Object.entries(rows.documents).map(([resource, list]) => [resource, list.length])
    }
    expect(await count(anonymizeCase(content))).toEqual(await count(content))
  })

  test('has no name of a machine after its names were replaced', async () => {
    const { rows } = await readCase({ kind, content })
    const text = JSON.stringify(anonymizeCase(content))
    // A machine without a name is called by its id, which stays.
    const names = (rows.documents.devices ?? []).flatMap(({ name, hostname, refs }) =>
      [name, hostname].flatMap((one) => (typeof one === 'string' && !JSON.stringify(refs).includes(one) ? one : [])),
    )
    const isKept = (name: string) => new RegExp(`(?<![A-Za-z0-9])${RegExp.escape(name)}(?![A-Za-z0-9])`).test(text)
    expect(names.filter((name) => name.length >= 4 && isKept(name))).toEqual([])
  })

  test.each(CHANGES.map((one) => [one.name, one] as const))(
    'fails where an answer is %s',
    async (_name, { code, change }) => {
      const outcomes = []
      // A request that failed in the recording is optional, and its failure is no news.
      const answered = [...content.answers.keys()].filter((number) => content.answers[number]?.status === 200)
      for (const number of answered)
        outcomes.push(await findOutcome(kind, content, (answer, at) => (at === number ? change(answer) : answer)))
      expect(outcomes.filter((outcome) => outcome !== code && outcome !== 'warned')).toEqual([])
      expect(outcomes).toContain(code)
    },
  )
})

describe.each(pushed.map((one) => [one.title, one] as const))('%s, pushed', (_, { kind, content }) => {
  test.each([
    ['an object without members', {}],
    ['a list', []],
    ['a text', 'x'],
    ['null', null],
  ])('refuses %s as a snapshot', async (_name, snapshot) => {
    await expect(convertCase(kind, snapshot, content)).rejects.toBeInstanceOf(SnapshotError)
  })
})

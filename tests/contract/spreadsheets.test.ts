/** The exports of every resource come back unchanged: the CSV of the web UI, and the CSV of the command line. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { runCli } from '../../src/app/cli.ts'
import { toSingular } from '../../src/contract/command-name.ts'
import { createCsvConverter } from '../../src/convert/csv.ts'
import { INVENTORY, type Resource } from '../../src/inventory/resources.ts'
import * as sheets from '../../src/inventory/sheets.ts'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { OBJECTS_ESTATE } from '../../testing/estates/objects-estate.ts'
import { worldApp } from '../../testing/estates/world.ts'
import { memoryIo } from '../../testing/memory-io.ts'
import { onSqlite } from '../../testing/servers/servers.ts'

type Row = Readonly<Record<string, unknown>>
type Site = { readonly app: TestApp; readonly admin: TestCaller }

type Writer = (resource: string, rows: readonly object[]) => string

/** The types of the browser stay out of this program: a path that is no literal has none. */
const WEB_ROWS: string = '../../web/src/export/rows.ts'
const { formatRowsAsCsv, formatJson } = (await import(WEB_ROWS)) as {
  readonly formatRowsAsCsv: Writer
  readonly formatJson: Writer
}

const convertCsv = createCsvConverter(sheets)

const list = async ({ admin }: Site, resource: Resource): Promise<Row[]> => {
  const response = await admin.request('GET', `/api/${resource}`)
  return (await response.json()) as Row[]
}

const convert = async (resource: Resource, text: string): Promise<readonly Row[]> => {
  // The web UI exports no empty list.
  if (text.trim() === '') return []
  const { documents } = await convertCsv(new TextEncoder().encode(text), { now: new Date(), mapping: { resource } })
  return documents[resource] ?? []
}

/** Returns the CSV of `plat RESOURCE list -o csv`. */
const printCsv = async ({ app, admin }: Site, resource: Resource): Promise<string> => {
  const { io, out, err } = memoryIo({
    argv: [toSingular(resource), 'list', '-o', 'csv'],
    env: { PLAT_URL: 'http://plat.test', PLAT_TOKEN: admin.key },
    fetch: (url, init) => app.fetch(new Request(url, init)),
  })
  expect([await runCli(io), err()]).toEqual([0, ''])
  return out()
}

const WRITERS: Readonly<Record<string, (site: Site, resource: Resource) => Promise<string>>> = {
  'the web UI': async (site, resource) => formatRowsAsCsv(resource, await list(site, resource)),
  'the command line': printCsv,
}

/** The rules of a document that a person writes: a list or an empty text that is lost on the way is a change. */
const RULES = { lists: 'replace', empty: 'clear' } as const

const describeSite = (name: string, open: () => Promise<Site>) =>
  describe(name, () => {
    let site: Site
    beforeAll(async () => {
      site = await open()
    })
    afterAll(() => site.app.close())

    describe.each(Object.entries(WRITERS))('the CSV of %s', (_, write) => {
      test.each([...INVENTORY])('of %s has nothing to change', async (resource) => {
        const stored = await list(site, resource)
        const rows = await convert(resource, await write(site, resource))
        expect(rows.length).toBe(stored.length)
        const response = await site.admin.request('POST', '/api/estate/apply', {
          [resource]: rows,
          ...RULES,
          dry_run: true,
        })
        const answer = await response.json()
        expect(answer).toMatchObject({
          changed: false,
          counts: { [resource]: { unchanged: stored.length, failed: 0 } },
        })
        expect((answer as { extra: object }).extra).toEqual({})
      })

      test.each([...INVENTORY])('of %s is imported as the JSON of the web UI is', async (resource) => {
        const rows = await convert(resource, await write(site, resource))
        expect(await tryImport(site, resource, rows)).toEqual(
          await tryImport(site, resource, JSON.parse(formatJson(resource, await list(site, resource))) as Row[]),
        )
      })
    })

    test('the CSV of all resources makes the objects on an empty server that their JSON makes', async () => {
      const documents = await Promise.all(
        INVENTORY.map(async (resource) => {
          const rows = await list(site, resource)
          const json = JSON.parse(formatJson(resource, rows)) as Row[]
          return [resource, await convert(resource, formatRowsAsCsv(resource, rows)), json] as const
        }),
      )
      const byCsv = await makeElsewhere(Object.fromEntries(documents.map(([resource, csv]) => [resource, csv])))
      const byJson = await makeElsewhere(Object.fromEntries(documents.map(([resource, , json]) => [resource, json])))
      expect(byCsv).toEqual(byJson)
      for (const resource of INVENTORY) expect(byCsv[resource]?.length).toBe((await list(site, resource)).length)
    })
  })

/** Returns the last line of an import that changes nothing. */
const tryImport = async ({ admin }: Site, resource: Resource, rows: readonly Row[]): Promise<unknown> => {
  const path = `/api/estate/import?resource=${resource}&lists=replace&empty=clear&dry_run=true`
  const lines = (await (await admin.request('POST', path, rows)).text()).trim().split('\n')
  return JSON.parse(lines.at(-1) ?? '')
}

/** Applies a document on an empty server. @returns its objects, without times */
const makeElsewhere = async (document: Readonly<Record<string, readonly Row[]>>): Promise<Record<string, Row[]>> => {
  const app = await testApp()
  try {
    const site = { app, admin: await app.as('admin') }
    const response = await site.admin.request('POST', '/api/estate/apply', document)
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ errors: [] })])
    const lists = await Promise.all(
      INVENTORY.map(async (resource) => [resource, (await list(site, resource)).map(forgetTimes)] as const),
    )
    return Object.fromEntries(lists)
  } finally {
    await app.close()
  }
}

const forgetTimes = ({ created_at, updated_at, ...row }: Row): Row => row

/** Texts that a spreadsheet, a terminal or another reader of CSV would take for something else. */
const HARD = [
  '  blanks around  ',
  'a, b;c',
  '=1+1',
  '"quoted"',
  "'led",
  'two\n lines\n',
  '-',
  'N/A',
  '007',
  '[x]',
  'ja',
  'sep=;',
]

describe.each(onSqlite())('on %s', (dialect) => {
  describeSite('an object of every resource with every field', async () => {
    const { app, admin } = await worldApp({ dialect })
    return { app, admin }
  })

  describeSite('objects with custom fields and ports', async () => {
    const app = await testApp({ dialect })
    const admin = await app.as('admin')
    await admin.request('POST', '/api/estate/apply', OBJECTS_ESTATE)
    return { app, admin }
  })

  describeSite('texts that are hard to read', async () => {
    const app = await testApp({ dialect })
    const admin = await app.as('admin')
    for (const [at, text] of HARD.entries())
      await admin.api.devices.create({
        name: `d${at} ${text.trim()}`,
        description: text,
        location: text,
        tags: [text, 'b'],
        os: text,
      })
    await admin.api.datacenters.create({ name: '-', description: '\n=1' })
    return { app, admin }
  })
})

/** A real NetBox, recorded by `npm run test:netbox`: the lists that its import reads, and the inventory that Ansible makes of it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { API_ROUTES } from '../../../src/convert/netbox/read/routes.ts'
import type { Fetch } from '../../../src/surfaces/cli/connection/client.ts'
import { Group, type Inventory } from '../clients/inventory.ts'

const SOURCE = join(import.meta.dir, 'source.ndjson')
const INVENTORY = join(import.meta.dir, 'inventory.ndjson')

/** The address of the recorded NetBox. */
export const RECORDED_URL = 'http://netbox.test'

/** A route and its objects. */
const SourceLine = z.tuple([z.string()]).rest(z.record(z.string(), z.unknown()))
type SourceLine = z.infer<typeof SourceLine>
const Page = z.object({ results: z.array(z.record(z.string(), z.unknown())) })
const InventoryLine = z.tuple([z.enum(['group', 'host']), z.string(), z.record(z.string(), z.unknown())])

const readLines = (file: string): unknown[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

const writeLines = (file: string, url: string, lines: readonly unknown[]): void =>
  writeFileSync(
    file,
    lines
      .map((line) => `${JSON.stringify(line)}\n`)
      .join('')
      .replaceAll(url, RECORDED_URL),
  )

/** Reads the lists of a NetBox, as its import does. */
export const recordSource = async (url: string, token: string): Promise<void> => {
  const read = async (path: string) => fetch(`${url}/api/${path}`, { headers: { Authorization: `Token ${token}` } })
  const lines: SourceLine[] = [
    ['status', z.record(z.string(), z.unknown()).parse(await (await read('status/')).json())],
  ]
  for (const route of API_ROUTES) {
    const answer = await read(`${route}/?limit=0&exclude=config_context`)
    if (!answer.ok) continue
    const { results } = Page.parse(await answer.json())
    lines.push(...(results.length === 0 ? [[route] as SourceLine] : results.map((one): SourceLine => [route, one])))
  }
  writeLines(SOURCE, url, lines)
}

/** Answers requests to the recorded NetBox from its lists, and sends all others. */
export const fetchRecorded: Fetch = async (url, init) => {
  if (!url.startsWith(RECORDED_URL)) return fetch(url, init)
  const route = new URL(url).pathname.replace(/^\/api\/|\/$/g, '')
  const lines = z
    .array(SourceLine)
    .parse(readLines(SOURCE))
    .filter(([name]) => name === route)
  const results = lines.flatMap(([, ...objects]) => objects)
  if (lines.length === 0) return new Response('{}', { status: 404 })
  return Response.json(route === 'status' ? results[0] : { count: results.length, results })
}

export const recordInventory = ({ groups, hosts }: Inventory, url: string): void =>
  writeLines(INVENTORY, url, [
    ...Object.entries(groups).map(([name, group]) => ['group', name, group]),
    ...Object.entries(hosts).map(([name, variables]) => ['host', name, variables]),
  ])

export const readInventory = (): Inventory => {
  const lines = z.array(InventoryLine).parse(readLines(INVENTORY))
  const pick = (kind: 'group' | 'host') =>
    Object.fromEntries(lines.flatMap(([one, name, value]) => (one === kind ? [[name, value]] : [])))
  return { groups: z.record(z.string(), Group).parse(pick('group')), hosts: pick('host') }
}

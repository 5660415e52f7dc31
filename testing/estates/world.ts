/**
 * One object of everything, made once a process and saved: a suite starts on a copy of it. Objects of resources are made from their facts,
 * so a new resource is in the world without a line here.
 */
import { afterAll, beforeAll, expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { getDataFile } from '../../src/app/compose.ts'
import { contracts } from '../../src/app/contracts.ts'
import { toInputJsonSchema } from '../../src/contract/validate.ts'
import { INVENTORY, isResource } from '../../src/inventory/resources.ts'
import { parseHttp } from '../../src/kernel/http-route.ts'
import { type AnyOperation, getNoun, type RawRoute } from '../../src/kernel/operation.ts'
import { type TestApp, type TestCaller, type TestOptions, testApp } from '../app/app.ts'
import { migratedPostgres } from '../app/migrated.ts'
import { type ScriptedScanner, scanOnce, scriptedScanner } from '../servers/scripted-scanner.ts'
import { type Dialect, postgres } from '../servers/servers.ts'
import { OAUTH_ENV } from '../sign-in/oauth.ts'
import { until } from '../until.ts'
import { createExamples, type Examples, type Ids } from './examples.ts'
import { requiredExample } from './required-example.ts'

/** The first suite on PostgreSQL waits for the server to start, and the first suite of a process makes the world. */
const START_TIMEOUT_MS = 60_000

const ENV = { ...OAUTH_ENV, AUDIT_ENABLED: 'true', DNS_SERVERS: '192.0.2.53' }

export const operations: readonly AnyOperation[] = Object.values(contracts).flatMap((set) =>
  Object.values<AnyOperation>(set),
)

type Site = {
  readonly caller: TestCaller
  readonly scanner: ScriptedScanner
  readonly examples: Examples
  readonly ids: Ids
}
type Make = (noun: string) => Promise<string>
type Maker = (site: Site, make: Make) => Promise<string>

/** A relationship has no id. */
const Created = z.object({ id: z.string().default('') })
const post = async ({ caller }: Site, path: string, body: object): Promise<string> => {
  const response = await caller.request('POST', path, body)
  const answer = await response.json()
  expect([path, response.status, answer]).toEqual([path, 201, answer])
  return Created.parse(answer).id
}

const WEBHOOK = { name: 'one', url: 'http://hook.invalid/', events: ['device.created'] }

/** Makers of the nouns that are no resources with facts, and need more than the required fields of their contract. */
const MAKERS: Readonly<Record<string, Maker>> = {
  webhooks: (site) => post(site, '/api/webhooks', WEBHOOK),
  'dns-providers': (site) => post(site, '/api/dns/providers', { name: Bun.randomUUIDv7(), host: '192.0.2.53' }),
  // Without a URL it is read by no run, which would change it.
  sources: (site) => post(site, '/api/sources', { name: Bun.randomUUIDv7(), kind: 'document' }),
  'dns-zones': async (site) => {
    const id = await post(site, '/api/dns/zones', { name: `${Bun.randomUUIDv7()}.example` })
    // Its state changes until its first sync has ended.
    await until('the first sync', async () => (await site.caller.api.dnsZones.get({ id })).last_synced_at ?? undefined)
    return id
  },
  'dns-records': async (site, make) =>
    post(site, '/api/dns/records', { zone_id: await make('dns-zones'), name: 'one', type: 'A', value: '192.0.2.1' }),
  // The one type without a secret, because the server has no encryption key.
  credentials: (site) => post(site, '/api/credentials', { name: Bun.randomUUIDv7(), type: 'snmp_v3', username: 'one' }),
  'oauth-clients': async ({ caller }) => {
    const body = { redirect_uris: ['https://one.example/cb'] }
    const response = await caller.request('POST', '/mcp-oauth/register', body)
    return z.object({ client_id: z.string() }).parse(await response.json()).client_id
  },
  grants: async (site, make) =>
    post(site, '/api/grants', { role_id: await make('roles'), user_id: site.caller.userId }),
  scopes: (site) => post(site, '/api/scopes', { name: Bun.randomUUIDv7(), datacenter_ids: [site.ids.datacenters] }),
  scans: async ({ caller, scanner }) => (await scanOnce(scanner, caller)).scan,
  discovery: async ({ caller, scanner }) => (await scanOnce(scanner, caller)).device,
  'discovery-rules': async (site) => {
    const network_id = await post(site, '/api/networks', { name: 'of a rule', subnet: '127.9.0.0/24' })
    return post(site, '/api/discovery/rules', { network_id, enabled: false })
  },
  conflicts: async (site) => {
    const { api } = site.caller
    for (const name of ['conflict a', 'conflict b'])
      await post(site, '/api/devices', { name, addresses: [{ ip: '192.0.2.9' }] })
    const [conflict] = await api.conflicts.list({ status: 'active', limit: 1 })
    // The deletion of a conflict does not raise it again while its cause remains.
    return conflict?.id ?? (await api.conflicts.detect({})).conflicts[0]?.id ?? ''
  },
  // A change of two objects.
  history: async ({ caller }) => {
    const operations = ['one', 'other'].map((name) => ({ op: 'create', device: { name } }))
    const response = await caller.request('POST', '/api/devices/bulk', { operations })
    return response.headers.get('x-change-id') ?? ''
  },
  audit: async ({ caller }, make) => {
    await make('datacenters')
    const [entry] = z.tuple([Created]).parse(await (await caller.request('GET', '/api/audit?limit=1')).json())
    return entry.id
  },
  lookup: async () => '10.1.0.1',
  // The ETag of other reports depends on time.
  reports: async () => 'unlocated-devices',
  // A pack without kinds.
  packs: async ({ caller }) => {
    expect((await caller.request('POST', '/api/packs/power/install')).status).toBe(200)
    return 'power'
  },
  // An open one is seen by the other users of a copy of the world.
  proposals: async (site, make) => {
    const input = { id: await make('devices'), os: 'as proposed' }
    const operations = [{ operation: 'devices.update', input }]
    return post(site, '/api/proposals', { title: Bun.randomUUIDv7(), operations, open: true })
  },
  // An enabled one would ask for an approval of each merge.
  policies: (site) => post(site, '/api/policies', { name: Bun.randomUUIDv7(), enabled: false }),
  // The copy of the world has other users.
  views: (site) => post(site, '/api/views', { name: Bun.randomUUIDv7(), path: '/devices', is_shared: true }),
}

/** Creates an object with the fields that its contract requires, and a name that no other object has. */
const makeLeast = async (site: Site, noun: string): Promise<string> => {
  const op = operations.find(({ name, http }) => name === `${noun}.create` && parseHttp(http).params.length === 0)
  if (!op) throw new Error(`MAKERS of testing/estates/world.ts does not say how to make one of ${noun}`)
  const body = Object.entries(requiredExample(op)).map(([field, value]) => [
    field,
    field.endsWith('name') ? Bun.randomUUIDv7() : value,
  ])
  return post(site, parseHttp(op.http).path, Object.fromEntries(body))
}

/** Returns a function that makes another object of a noun. */
const createMake = (site: Site): Make => {
  const make: Make = async (noun) => {
    const maker = MAKERS[noun]
    if (maker) return maker(site, make)
    if (!isResource(noun)) return makeLeast(site, noun)
    const { path, body } = site.examples.build(noun)
    return post(site, path, body)
  }
  return make
}

type Called = AnyOperation | RawRoute

/** Returns the noun of the object that a parameter of a path names; by default the noun of the operation. */
export const getTarget = (op: Called, param: string): string => {
  const { ref } = ((op.input && toInputJsonSchema(op.input).properties?.[param]) ?? {}) as { ref?: string }
  return ref ?? getNoun(op)
}

/** The nouns of the objects that reads name, besides the resources. */
const OTHER_NOUNS = [
  ...new Set(
    operations
      .filter(({ http, session }) => http.startsWith('GET ') && session === undefined)
      .flatMap((op) => parseHttp(op.http).params.map((param) => getTarget(op, param))),
  ),
].filter((noun) => !isResource(noun))

type Saved = { readonly template: string; readonly ids: Ids; readonly counts: Readonly<Record<string, number>> }

/** Pushes an empty document to a source. Returns the id of its run, which has ended. */
const pushOnce = async (app: TestApp, { key, api }: TestCaller, id: string): Promise<string> => {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/octet-stream' }
  const request = { method: 'POST', headers, body: '{"devices":[]}' }
  const response = await app.fetch(new Request(`http://plat.test/api/sources/${id}/push`, request))
  expect(response.status).toBe(202)
  return until('the end of a run', async () => {
    const [run] = await api.sources.runs({ id })
    return run?.completed_at ? run.id : undefined
  })
}

const fill = async (app: TestApp, scanner: ScriptedScanner): Promise<Omit<Saved, 'template'>> => {
  const ids: Record<string, string> = {}
  const examples = createExamples(ids)
  const site = { caller: await app.as('admin'), scanner, examples, ids }
  const make = createMake(site)
  for (const noun of INVENTORY) {
    ids[noun] = await make(noun)
    // The other end of a relationship.
    if (noun === 'devices') ids.child = await make(noun)
  }
  for (const noun of [...OTHER_NOUNS, 'grants']) ids[noun] ??= await make(noun)
  const { delivery } = await site.caller.api.webhooks.ping({ id: ids.webhooks ?? '' })
  const run_id = await pushOnce(app, site.caller, ids.sources ?? '')
  return { ids: { ...ids, delivery_id: delivery.id, run_id }, counts: examples.counts }
}

/** Returns the place of a database that stays when its app is closed. @param template what it begins with */
const makePlace = async (dialect: Dialect, template?: string): Promise<Readonly<Record<string, string>>> => {
  if (dialect === 'postgres') return { DATABASE_URL: (await migratedPostgres(template)).url }
  const folder = mkdtempSync(join(tmpdir(), 'plat-world-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return { DATA_DIR: folder }
}

const getTemplate = ({ config }: TestApp): string =>
  config.databaseUrl === undefined ? getDataFile(config) : new URL(config.databaseUrl).pathname.slice(1)

const save = async (dialect: Dialect): Promise<Saved> => {
  const scanner = scriptedScanner()
  const place = await makePlace(dialect)
  const app = await testApp({ env: { ...ENV, ...place }, startScan: scanner.startScan, withJobs: false })
  const made = await fill(app, scanner)
  await app.close()
  return { template: getTemplate(app), ...made }
}

let inFile: Promise<Saved> | undefined
/** A cluster that dies is followed by another, without the world. */
const inClusters = new WeakMap<object, Promise<Saved>>()

const getSaved = async (dialect: Dialect): Promise<Saved> => {
  if (dialect === 'sqlite') {
    inFile ??= save(dialect)
    return inFile
  }
  const cluster = await postgres()
  const saved = inClusters.get(cluster) ?? save(dialect)
  inClusters.set(cluster, saved)
  return saved
}

/** Makes and saves the world, if it is not saved yet. */
export const saveWorld = async (dialect: Dialect): Promise<void> => {
  await getSaved(dialect)
}

export type World = {
  readonly app: TestApp
  readonly admin: TestCaller
  /** The objects of the world by the noun of their operations; `child` is another device. */
  readonly ids: Ids
  /** Makes another object of a noun. */
  readonly make: Make
  readonly examples: Examples
  readonly scanner: ScriptedScanner
}

/** Starts an app on a copy of the world. */
export const worldApp = async ({ dialect = 'sqlite', env, ...options }: TestOptions = {}): Promise<World> => {
  const { template, ids, counts } = await getSaved(dialect)
  const scanner = scriptedScanner()
  const app = await testApp({ dialect, template, startScan: scanner.startScan, ...options, env: { ...ENV, ...env } })
  const admin = await app.as('admin')
  const examples = createExamples(ids, { ...counts })
  return { app, admin, ids, examples, scanner, make: createMake({ caller: admin, scanner, examples, ids }) }
}

/** Saves a copy of the world after `prepare`. @returns the template of its copies, and what `prepare` has made */
export const saveCopy = async <T>(
  dialect: Dialect,
  prepare: (world: World) => Promise<T>,
): Promise<{ readonly template: string; readonly made: T }> => {
  const place = await makePlace(dialect, (await getSaved(dialect)).template)
  const world = await worldApp({ dialect, env: place, withJobs: false })
  const made = await prepare(world)
  await world.app.close()
  return { template: getTemplate(world.app), made }
}

/** Starts a copy of the world before the tests of the surrounding `describe`, and closes it after them. */
export const worldSuite = (options: TestOptions = {}): World => {
  let world: World | undefined
  const started = (): World => {
    if (world === undefined) throw new Error('the world of a suite is there in its tests')
    return world
  }
  beforeAll(async () => {
    world = await worldApp(options)
  }, START_TIMEOUT_MS)
  afterAll(() => world?.app.close(), START_TIMEOUT_MS)
  return {
    get app() {
      return started().app
    },
    get admin() {
      return started().admin
    },
    get ids() {
      return started().ids
    },
    get examples() {
      return started().examples
    },
    get scanner() {
      return started().scanner
    },
    make: (noun) => started().make(noun),
  }
}

/** Values of required fields of queries. */
const QUERY: Readonly<Record<string, string>> = { prefix_length: '26', from: '0s', network_id: '*' }

/** Returns the address of an operation with the objects of `ids`, and the required fields of a query. */
export const buildAddress = (op: Called, ids: Ids): string => {
  const { path, params } = parseHttp(op.http)
  const at = path.replace(
    /\{(\w+)\}/g,
    (_, param: string) => ids[param] ?? ids[getTarget(op, param)] ?? (param === 'ip' ? '10.0.1.5' : 'none'),
  )
  const schema = op.input === undefined ? {} : toInputJsonSchema(op.input)
  const { required = [] } = schema as { required?: readonly string[] }
  const query = required.filter((field) => !params.includes(field)).map((field) => `${field}=${QUERY[field] ?? 'one'}`)
  return query.length > 0 && op.http.startsWith('GET ') ? `${at}?${query.join('&')}` : at
}

/** PostgreSQL answers as SQLite does: the same calls to the same world, with the answers, the headers and the events compared. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { listPermissions } from '../../src/kernel/operation.ts'
import { isNetboxRoute } from '../../testing/netbox/routes.ts'
import { type ScriptedProvider, scriptedProvider } from '../../testing/servers/scripted-provider.ts'
import { engines } from '../../testing/servers/servers.ts'
import { accessCalls } from './access-calls.ts'
import {
  buildInvalidCalls,
  buildNetboxReads,
  buildPreviews,
  buildReads,
  buildRefusals,
  buildScopedReads,
  buildStaleChanges,
  changes,
  newObjects,
  newResources,
} from './derived-calls.ts'
import { type EnginePair, endpoints, openEnginePair, operations, type Step } from './engine-pair.ts'
import { exchangeCalls } from './exchange-calls.ts'
import { inventoryCalls } from './inventory-calls.ts'
import { kindRemovals } from './kind-calls.ts'
import { buildNewRemovals } from './new-resource-calls.ts'
import { packCalls, packRemovals } from './pack-calls.ts'
import { proposalCalls, proposalRemovals } from './proposal-calls.ts'
import { removalCalls } from './removal-calls.ts'
import { serviceCalls, waitForBackground } from './service-calls.ts'
import { buildSignInCalls } from './sign-in-calls.ts'

/** Both engines are needed; PLAT_TEST_DIALECTS may leave out one. */
const hasBoth = engines().length === 2
let pair: EnginePair
let provider: ScriptedProvider
beforeAll(async () => {
  if (!hasBoth) return
  pair = await openEnginePair()
  provider = await scriptedProvider(() => new Date(pair.sqlite.clock.ms))
  for (const world of [pair.sqlite, pair.postgres]) {
    world.keys.set('admin', (await world.app.as('admin')).key)
  }
}, 60_000)
afterAll(async () => {
  await pair?.close()
  await provider?.close()
})

const CHAPTERS: readonly [string, readonly Step[] | (() => readonly Step[])][] = [
  ['users and their rights', accessCalls],
  ['the inventory', [...inventoryCalls, ...newObjects]],
  ['services', serviceCalls],
  ['sign-in', () => buildSignInCalls(provider)],
  ['imports, exports and the history', exchangeCalls],
  ['packs', packCalls],
  ['proposals', proposalCalls],
  ['lists and objects', () => [waitForBackground, ...buildReads()]],
  ['lists of the NetBox API', buildNetboxReads],
  ['lists and objects of a part', buildScopedReads],
  ['previews', buildPreviews],
  ['refusals', buildRefusals],
  ['stale ETags', buildStaleChanges],
  ['invalid inputs', buildInvalidCalls],
  [
    'removals',
    [...proposalRemovals, ...removalCalls, ...kindRemovals, ...packRemovals, ...buildNewRemovals(newResources)],
  ],
]

describe.skipIf(!hasBoth)('both engines answer the same', () => {
  test.each(CHAPTERS)(
    'to calls about %s',
    async (_, steps) => {
      const found = await pair.run(typeof steps === 'function' ? steps() : steps)
      expect(found).toEqual([])
    },
    120_000,
  )
})

const SCANNER = 'needs the token of a scanner; its tests run on both databases'
const SOURCE = 'needs a system that answers; its tests run on both databases'
/** Operations that no call of this test can carry out, each with its reason. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  'dns-providers.test': 'needs a DNS server',
  'dns-zones.check': 'needs a DNS server',
  'dns-zones.resolve': 'needs a DNS server',
  'estate.pull': 'needs a NetBox',
  'sources.link': SOURCE,
  'sources.push': 'takes a snapshot; its tests run on both databases',
  'sources.run': SOURCE,
  'sources.show-run': SOURCE,
  'sources.test': SOURCE,
  'scanners.redeem': SCANNER,
  'scanners.poll': SCANNER,
  'scanners.reports': SCANNER,
  'scanners.sightings': SCANNER,
  'scanners.bye': SCANNER,
}
/** Callers may change only their own password, so the id of another user is refused before it is looked up. */
const WITHOUT_404 = ['users.change-password']

describe.skipIf(!hasBoth)('the calls reach', () => {
  const listReached = (wanted: (status: number) => boolean) =>
    new Set([...pair.statuses].flatMap(([name, all]) => ([...all].some(wanted) ? [name] : [])))
  const isLacking =
    (reached: ReadonlySet<string>) =>
    ({ name }: { readonly name: string }) =>
      !reached.has(name)
  const getNames = (some: readonly { readonly name: string }[]) => some.map(({ name }) => name)

  test('every operation and route with success, but for the listed ones', () => {
    const reached = listReached((status) => status < 400)
    expect(
      endpoints
        .filter(isLacking(reached))
        // Numbers and bodies of NetBox are not derived from a schema: the tests of src/netbox send them to both engines.
        .filter((one) => !isNetboxRoute(one) || /^GET [^{]*$/.test(one.http))
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(Object.keys(UNREACHABLE).toSorted())
  })

  test('a refusal of every operation that needs a permission', () => {
    const restricted = endpoints.filter(({ access }) => listPermissions(access).length > 0)
    expect(getNames(restricted.filter(isLacking(listReached((status) => status === 403))))).toEqual([])
  })

  test('an unknown object of every operation with an id in its path', () => {
    const aboutOne = operations.filter(({ http, session }) => http.includes('{id}') && session === undefined)
    expect(getNames(aboutOne.filter(isLacking(listReached((status) => status === 404))))).toEqual(WITHOUT_404)
  })

  test('an invalid input of every operation with a body', () => {
    const writes = operations.filter(({ http, session }) => /^(POST|PUT) /.test(http) && session === undefined)
    expect(getNames(writes.filter(isLacking(listReached((status) => status === 400))))).toEqual([])
  })

  test('a stale ETag of every change of an object that can be read', () => {
    expect(getNames(changes.filter(isLacking(listReached((status) => status === 412))))).toEqual([])
  })
})

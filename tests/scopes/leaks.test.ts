// A caller limited to one half of a doubled estate calls everything that Plat offers about objects of the other half: over HTTP, MCP and the
// command line. Each answer is the one about an object that does not exist.
import { describe, expect, test } from 'bun:test'
import { contracts, routes } from '../../src/app/contracts.ts'
import { getCommandWords } from '../../src/contract/command-name.ts'
import { parseHttp } from '../../src/kernel/http-route.ts'
import { type AnyOperation, listPermissions } from '../../src/kernel/operation.ts'
import { CATALOGUE } from '../../src/people/roles/catalogue.ts'
import { buildSpec } from '../../src/surfaces/cli/parse/operation-spec.ts'
import { type Call, callsAbout, requestOf } from '../../testing/estates/inputs-by-ref.ts'
import { type People, type Person, people, QUICK } from '../../testing/estates/people.ts'
import { expectNothingHidden, type Half, type Halves, halves, textOf } from '../../testing/hostile/halves.ts'
import { callOn, connect } from '../../testing/mcp.ts'
import { isNetboxRoute } from '../../testing/netbox/routes.ts'
import { runCommand } from '../../testing/run-command.ts'
import { onSqlite } from '../../testing/servers/servers.ts'
import { oauthOf } from '../../testing/sign-in/oauth.ts'
import { cookieOf } from '../../testing/sign-in/sign-in.ts'

const operations = Object.values(contracts).flatMap((set) => Object.values<AnyOperation>(set))
const isRestricted = ({ access }: Pick<AnyOperation, 'access'>): boolean => listPermissions(access).length > 0
/** The other operations are about the user, and some of their answers differ with each call. A new proposal has another number each time. */
const restricted = operations.filter((op) => isRestricted(op) && op.name !== 'proposals.create')

/** Parameters of paths that are no ids. */
const WORDS = { type: 'contains', field: 'name' }

/** Objects of the other half, and as many that do not exist, by resource. */
type Twins = { readonly there: Half; readonly nowhere: Half }

const twinsOf = ({ other }: Halves): Readonly<Record<'ids' | 'refs' | 'names', Twins>> => {
  const each = (of: (resource: string, n: number) => string) =>
    Object.fromEntries(Object.keys(other).map((resource, n) => [resource, of(resource, n)]))
  const twins = (there: Half, nowhere: Half): Twins => ({
    there: { ...there, ...WORDS, query: '10.2.0.11' },
    nowhere: { ...nowhere, ...WORDS, query: '10.9.0.11' },
  })
  const names: Half = {
    datacenters: 'site',
    networks: 'net',
    vlans: 'vlan',
    pools: 'pool',
    racks: 'rack',
    devices: 'machine 1',
    child: 'machine 2',
  }
  const named = (word: string) => each((resource) => `${word} ${names[resource] ?? resource}`)
  return {
    ids: twins(
      other,
      each((_, n) => `01999999-0000-7000-8000-0000000000${10 + n}`),
    ),
    refs: twins(
      each(() => 'nb:omega-1'),
      each(() => 'nb:nobody-1'),
    ),
    names: twins(named('omega'), named('nobody')),
  }
}

/** Returns the answer without what was sent, and without the id of the request. */
const anonymous = (text: string, sent: Half): string =>
  Object.entries(sent).reduce(
    (rest, [name, id]) => (name in WORDS ? rest : rest.replaceAll(id, `<${name}>`)),
    text.replaceAll(/"request_id":"[^"]*"/g, ''),
  )

/** Sends a call. @returns the whole answer as a text, which begins with its status or exit code */
type Door = (op: AnyOperation, call: Call) => Promise<string>

const overHttp =
  ({ ask }: Person): Door =>
  async (op, call) => {
    const { http, body } = requestOf(op, call)
    const { status, body: answer, headers } = await ask(http, body)
    const kept = new Headers(headers)
    for (const name of [...kept.keys()]) if (/^(etag|content-length|x-ratelimit-.*)$/.test(name)) kept.delete(name)
    return textOf({ status, body: answer, headers: kept })
  }

const overMcp = async ({ app }: People, key: string): Promise<Door> => {
  const client = await connect({ fetch: (request) => app.fetch(request), key })
  return async ({ name }, { input }) => {
    const { isError, value } = await callOn(client, 'call_operation', { operation: name, input })
    return `${isError ? 'error' : 'ok'} ${JSON.stringify(value)}`
  }
}

const onCommandLine =
  ({ app }: People, { key }: Person) =>
  async (argv: readonly string[]): Promise<string> => {
    const { code, out, err } = await runCommand({ app, key }, { argv })
    return `${code} ${out} ${err}`
  }

/** Returns the words of a command about these objects. */
const argvOf = (op: AnyOperation, { input }: Call): string[] => {
  const values = buildSpec(op).args.flatMap(({ field }) => [input[field] ?? 'none'].flat().map(String))
  return [...getCommandWords(op), ...values, ...(op.effect === 'delete' ? ['--yes'] : [])]
}

/** Returns an OAuth token of the person for a client that may do all that the person may. */
const tokenOf = async ({ app }: People, { id, username }: Person): Promise<string> => {
  const guest = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const type = { 'Content-Type': 'application/json', ...headers }
    return app.fetch(new Request(`http://plat.test${path}`, { method, headers: type, ...(text && { body: text }) }))
  }
  const oauth = oauthOf({ guest, db: app.db })
  const cookie = cookieOf(await app.login(username, QUICK))
  const scope = CATALOGUE.map(({ name }) => name).join(' ')
  return (await oauth.tokensFor(await oauth.register({ scope }), { id, username, cookie }, { scope })).access_token
}

describe.each(onSqlite())('of the other half, a scoped caller on %s', (dialect) => {
  const config = { mcpOauthEnabled: true, mcpOauthIssuerUrl: 'http://plat.test' }
  const all = people(dialect, () => ({ config }))
  const estate = halves(all)

  /** Returns the answers about the other half that are wrong. */
  const judge = async (made: Halves, op: AnyOperation, twins: Twins, door: Door): Promise<string[]> => {
    const about = (ids: Half) => callsAbout(op, { own: made.own, about: ids })
    const nowhere = about(twins.nowhere)
    const wrong: string[] = []
    for (const [i, call] of about(twins.there).entries()) {
      const twin = nowhere[i]
      if (!twin) throw new Error('both have the same calls')
      const text = anonymous(await door(op, call), twins.there)
      const asked = `${op.name} by ${call.field}`
      const found = made.hidden.filter((secret) => text.includes(secret))
      if (found.length > 0) wrong.push(`${asked} holds ${found}: ${text}`)
      // Nothing is read without the permission everywhere.
      if (op.scope === undefined)
        return text.includes('This needs the permission') ? wrong : [...wrong, `${asked}: ${text}`]
      const missing = anonymous(await door(op, twin), twins.nowhere)
      if (text !== missing) wrong.push(`${asked} differs: ${text} and ${missing}`)
    }
    return wrong
  }

  /** A call that creates the object of an unknown ref differs from one about a ref that is taken. */
  const byRef = restricted.filter(({ createsByRef }) => createsByRef !== true)

  test('learns nothing from any operation', async () => {
    const made = await estate()
    const { ids, refs } = twinsOf(made)
    const before = await all.admin.ask('GET /api/estate/export')
    expect(before.status).toBe(200)
    const wrong: string[] = []
    for (const op of restricted) {
      wrong.push(...(await judge(made, op, ids, overHttp(made.ada))))
      wrong.push(...(await judge(made, op, ids, overHttp(made.narrow))))
    }
    for (const op of byRef) wrong.push(...(await judge(made, op, refs, overHttp(made.ada))))
    expect(wrong).toEqual([])
    expect((await all.admin.ask('GET /api/estate/export')).body).toEqual(before.body)
  })

  test('learns nothing from previews of its own changes, and from answers about the past', async () => {
    const made = await estate()
    const door = overHttp(made.narrow)
    const plan = await overMcp(all, made.narrow.key)
    const as_of = all.app.now().toISOString()
    const { ids } = twinsOf(made)
    const wrong: string[] = []
    for (const op of restricted.filter(({ scope }) => scope)) {
      const calls = callsAbout(op, { own: made.own, about: made.own })
      for (const { field, input } of op.hasHistory ? calls : [])
        for (const dry_run of [true, 'changes']) {
          const name = `${op.name} by ${field}, dry_run=${dry_run}`
          expectNothingHidden(made, name, await door(op, { field, input: { ...input, dry_run } }))
        }
      if (op.supportsAsOf)
        for (const { field, input } of calls)
          expectNothingHidden(
            made,
            `${op.name} by ${field} as of now`,
            await door(op, { field, input: { ...input, as_of } }),
          )
      if (op.hasHistory && op.effect === 'delete' && calls[0])
        expectNothingHidden(made, op.name, await plan(op, calls[0]))
      const history = op.hasHistory ? { dry_run: 'changes' } : op.supportsAsOf ? { as_of } : undefined
      const more: Door = (_, { field, input }) => door(op, { field, input: { ...input, ...history } })
      if (history) wrong.push(...(await judge(made, op, ids, more)))
    }
    expect(wrong).toEqual([])
  })

  test('learns nothing from any route', async () => {
    const made = await estate()
    // An endless answer.
    for (const { http, access, scope, name } of routes.filter(({ name }) => name !== 'events.stream')) {
      const { method, path } = parseHttp(http)
      const at = path.replace('{id}', made.other.racks ?? '').replace(/\{\w+\}/g, 'none')
      for (const { key } of [made.ada, made.narrow]) {
        const answer = await all.app.send(`${method} ${at}`, { key, ...(method === 'GET' ? {} : { body: {} }) })
        const text = `${JSON.stringify([...answer.headers])} ${await answer.text()}`
        // An empty body is no file to convert or to import.
        const allowed = path.includes('{') ? 404 : method === 'GET' || method === 'OPTIONS' ? 200 : 400
        const status = scope === undefined ? 403 : allowed
        // A write of the NetBox API needs the permission of its resource, which this caller may lack.
        const isLacking = scope === 'checkWrite' && isNetboxRoute({ http }) && answer.status === 403
        if (isRestricted({ access }) && !isLacking) expect([name, answer.status]).toEqual([name, status])
        expectNothingHidden(made, name, text.replaceAll(made.other.racks ?? '', '<id>'))
      }
    }
  })

  test('learns nothing from any tool', async () => {
    const made = await estate()
    const { ids, names, refs } = twinsOf(made)
    const doors = [await overMcp(all, made.narrow.key), await overMcp(all, await tokenOf(all, made.ada))]
    const wrong: string[] = []
    const tools = restricted.filter(({ mcp }) => mcp !== 'hidden')
    for (const [i, op] of tools.entries())
      for (const twins of op.createsByRef ? [ids, names] : [ids, names, refs]) {
        // Each sees the same, and half of the calls are enough for each.
        const door = doors[i % 2]
        if (door) wrong.push(...(await judge(made, op, twins, door)))
      }
    for (const op of tools.filter(({ effect, scope }) => scope && effect === 'read'))
      for (const door of doors)
        for (const call of callsAbout(op, { own: made.own, about: made.own }))
          expectNothingHidden(made, `${op.name} by ${call.field}`, await door(op, call))
    expect(wrong).toEqual([])
  })

  test('learns nothing from resources, prompts and the tools themselves', async () => {
    const made = await estate()
    const client = await connect({ fetch: (request) => all.app.fetch(request), key: made.ada.key })
    for (const kind of ['device', 'network'] as const) {
      const { [`${kind}s`]: own, [`${kind}s`]: _ } = made.own
      const read = (id = '') =>
        client.readResource({ uri: `plat://${kind}/${id}` }).then(JSON.stringify, ({ message }) => String(message))
      expectNothingHidden(made, kind, await read(own))
      const hidden = made.other[`${kind}s`] ?? ''
      expect((await read(hidden)).replaceAll(hidden, '<id>')).toBe((await read('none')).replaceAll('none', '<id>'))
    }
    const offered = [await client.listTools(), await client.listResourceTemplates(), await client.listPrompts()]
    expectNothingHidden(made, 'lists of MCP', JSON.stringify(offered))
  })

  test('learns nothing from any command', async () => {
    const made = await estate()
    const { ids, names } = twinsOf(made)
    const run = onCommandLine(all, made.ada)
    const door: Door = (op, call) => run(argvOf(op, call))
    const wrong: string[] = []
    // The device that keeps an address is no word of the command, which would resolve a conflict of the own half.
    const commands = restricted.filter(({ session, name }) => session === undefined && name !== 'conflicts.resolve')
    // The words of the others name no object but that of the path, which a new object may not need.
    for (const op of commands.filter(({ effect, scope }) => scope && effect !== 'create'))
      for (const twins of [ids, names]) wrong.push(...(await judge(made, op, twins, door)))
    expect(wrong).toEqual([])
    for (const op of commands.filter(({ effect, scope }) => scope && effect === 'read')) {
      const [call = { field: '', input: {} }] = callsAbout(op, { own: made.own, about: made.own })
      const argv = argvOf(op, call)
      for (const form of ['table', 'json', 'csv'])
        expectNothingHidden(made, `plat ${argv.join(' ')}`, await run([...argv, '-o', form]))
    }
    const completed = commands
      .filter(({ effect }) => effect === 'read')
      .map((op) => ['__complete', ...getCommandWords(op), ''])
    for (const argv of [
      ...completed,
      ['whois', '10.2.0.11'],
      ['export', '-'],
      ['network', 'tree', 'omega net'],
      ['diff'],
    ])
      expectNothingHidden(
        made,
        argv.join(' '),
        (await run(argv)).replaceAll('10.2.0.11', '').replaceAll('omega net', ''),
      )
  })
})

// A new address space of a proposal stays apart from spaces that others create after the run.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { ask } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'

type Named = { readonly id: string; readonly name: string }

const SUBNET = '10.7.0.0/24'
const TAKEN = '10.7.0.5'

describe.each(engines())('on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let count = 0
  beforeAll(async () => {
    // A job would run the proposals again.
    app = await testApp({ dialect, withJobs: false })
    admin = await app.as('admin')
  })
  afterAll(() => app.close())

  const make = async (path: string, body: object): Promise<string> => {
    const { status, body: made } = await ask(admin, `POST /api/${path}`, body)
    expect([status, made]).toMatchObject([path.includes('?') ? 202 : 201, {}])
    // The answer of a route that creates an object.
    return (made as unknown as Named).id
  }
  const list = async (path: string): Promise<string[]> =>
    // The answer of a list.
    ((await ask(admin, `GET /api/${path}`)).body as unknown as Named[]).map(({ name }) => name)

  /** Proposes a space with a network. */
  const propose = async () => {
    const name = `Proposed ${++count}`
    const { number } = await admin.api.proposals.create({ title: name })
    const query = `?proposal=${number}`
    const space_id = await make(`spaces${query}`, { name })
    await make(`networks${query}`, { name, subnet: SUBNET, space_id })
    await ask(admin, `POST /api/proposals/${number}/open`)
    return { number, space_id, name }
  }
  /** Creates a space with the same network, in which a device has an address. */
  const makeOther = async () => {
    const name = `Other ${++count}`
    const space_id = await make('spaces', { name })
    await make('networks', { name, subnet: SUBNET, space_id })
    await make('devices', { name, addresses: [{ ip: TAKEN, space_id }] })
    return { space_id, name }
  }
  const expectApart = async (
    { number, space_id, name }: Awaited<ReturnType<typeof propose>>,
    other: Awaited<ReturnType<typeof makeOther>>,
  ): Promise<void> => {
    const asOf = `as_of=proposal:${number}`
    expect(await list(`devices?space_id=${space_id}&${asOf}`)).toEqual([])
    expect(await list(`networks?space_id=${space_id}&${asOf}`)).toEqual([name])
    expect(await list(`devices?space_id=${other.space_id}&${asOf}`)).toEqual([other.name])
  }

  test('a space that is created later does not share its addresses', async () => {
    const proposed = await propose()
    await expectApart(proposed, await makeOther())
  })

  test('a preview that a refused merge has stored stays apart as well', async () => {
    const proposed = await propose()
    const { number } = proposed
    const device = await make('devices', { name: 'moves' })
    await ask(admin, `PUT /api/devices/${device}?proposal=${number}`, { os: 'Debian' })
    await ask(admin, `PUT /api/devices/${device}`, { os: 'Plan 9' })
    const { previewed_at: shown } = await admin.api.proposals.get({ id: String(number) })
    expect((await ask(admin, `POST /api/proposals/${number}/merge`)).status).toBe(412)
    const preview = await admin.api.proposals.get({ id: String(number) })
    expect(preview.previewed_at).not.toBe(shown)
    await expectApart(proposed, await makeOther())
  })

  test('a merge gives a space the next key, whatever was proposed before', async () => {
    const { number, space_id } = await propose()
    const other = await makeOther()
    const keys = () => app.db.read.selectFrom('space_keys').selectAll().orderBy('space_key').execute()
    const before = await keys()
    expect((await ask(admin, `POST /api/proposals/${number}/merge`)).status).toBe(200)
    expect(before.at(-1)).toMatchObject({ space_id: other.space_id })
    expect((await keys()).slice(before.length)).toEqual([
      { space_id, space_key: `s${(before.length + 1).toString(16).padStart(4, '0')}` },
    ])
  })
})

// Recordings and scans of one network exclude each other: each would mark the hosts of the other as down.
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../../testing/discovery.ts'
import { refusal } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'

/** Enough for many transactions, between which another call may run. */
const HOSTS = 100

describe.each(engines())('a recording on %s', (dialect) => {
  const d = discoveryApp(dialect)
  const recordOf = async (id: string, ips: readonly string[]) =>
    d.ask(`POST /api/discovery/networks/${id}/results`, { hosts: ips.map((ip) => ({ ip })) })
  const some = (at: (n: number) => string, from: number) => Array.from({ length: HOSTS }, (_, i) => at(from + i))
  /** A recording that has begun, as another process would leave it at this moment. */
  const begun = async (id: string, until_ms: number) => {
    const scan = await d.api.scans.record({ id, hosts: [] })
    await d.app.db.write(({ db }) =>
      db
        .updateTable('discovery_scans')
        .set({ status: 'failed', holder: scan.id, until_ms })
        .where('id', '=', scan.id)
        .execute(),
    )
    return scan.id
  }
  const holderOf = async (id: string) =>
    (await d.app.db.read.selectFrom('discovery_scans').select('holder').where('id', '=', id).executeTakeFirst())?.holder
  const soon = () => 20_000 + (dialect === 'postgres' ? Date.now() : Date.parse(d.now()))

  test('is refused while another one of the network is stored', async () => {
    const { id, at } = await d.network()
    const answers = await Promise.all([recordOf(id, some(at, 1)), recordOf(id, some(at, 1 + HOSTS))])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400])
    expect(answers.find(({ status }) => status === 400)).toMatchObject(refusal('scan'))
  })

  test('keeps all of its hosts up while another one is tried', async () => {
    const { id, at } = await d.network()
    await Promise.all([recordOf(id, some(at, 1)), recordOf(id, some(at, 1 + HOSTS))])
    const found = await d.api.discovery.list({ network_id: id })
    expect([found.length, found.filter(({ status }) => status === 'down').length]).toEqual([HOSTS, 0])
  })

  test('keeps a scan of the network waiting', async () => {
    const { id } = await d.network()
    const recording = await begun(id, soon())
    const scan = await d.api.scans.start({ id })
    await d.runJob('discovery.run-scans')
    const waiting = await d.ask(`GET /api/discovery/scans/${'id' in scan ? scan.id : ''}`)
    await d.api.scans.delete({ id: recording })
    expect((waiting.body as { status: string }).status).toBe('pending')
  })

  test('does not keep a scan of another network waiting', async () => {
    const recording = await begun((await d.network()).id, soon())
    const other = await d.begin((await d.network()).id)
    other.scan.end('done')
    const status = await d.ended(other.id)
    await d.api.scans.delete({ id: recording })
    expect(status).toBe('completed')
  })

  test('a recording with a dead process keeps the network for a while only', async () => {
    const { id, at } = await d.network()
    const dead = await begun(id, 1)
    const { status } = await recordOf(id, [at(1)])
    // Empty, so that the dead process cannot continue if it was only suspended.
    expect([status, await holderOf(dead)]).toEqual([201, ''])
  })

  test('that was refused or has ended keeps the network no longer', async () => {
    const { id, at } = await d.network()
    await recordOf(id, [at(1)])
    expect((await recordOf(id, [at(1)])).status).toBe(201)
  })

  /** Changes a recording between two of its transactions. @returns its answer */
  const disturbed = async (
    disturb: (db: Parameters<Parameters<typeof d.app.db.write>[0]>[0]['db'], id: string) => Promise<unknown>,
  ) => {
    const { id, at } = await d.network()
    let isDone = false
    const recording = recordOf(id, some(at, 1)).finally(() => {
      isDone = true
    })
    for (let isDisturbed = false; !isDisturbed && !isDone; )
      isDisturbed = await d.app.db.write(async ({ db }) => {
        const held = db
          .selectFrom('discovery_scans')
          .select('id')
          .where('network_id', '=', id)
          .where('holder', '<>', '')
        const scan = await held.executeTakeFirst()
        if (scan) await disturb(db, scan.id)
        return scan !== undefined
      })
    return recording
  }

  test('that has lost its claim on the network stores nothing more', async () => {
    const answer = await disturbed((db, id) =>
      db.updateTable('discovery_scans').set({ holder: '' }).where('id', '=', id).execute(),
    )
    expect(answer).toMatchObject(refusal('scan'))
  })

  test('a recording of a deleted scan is not found', async () => {
    const answer = await disturbed((db, id) => db.deleteFrom('discovery_scans').where('id', '=', id).execute())
    expect(answer.status).toBe(404)
  })
})

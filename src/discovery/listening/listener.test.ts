// The server listens by one process, to the networks of its rules that one of its links is in.
import { describe, expect, test } from 'bun:test'
import { testApp } from '../../../testing/app/app.ts'
import { discoveryApp } from '../../../testing/discovery.ts'
import { scriptedListener } from '../../../testing/servers/scripted-listener.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'
import { listListened } from './listened.ts'

describe.each(onSqlite())('the listener of the server', (dialect) => {
  const d = discoveryApp(dialect)
  const subnets = () => d.listener.networks().map(({ subnet }) => subnet)
  const becomes = (wanted: readonly string[]) =>
    until('the networks that are listened to', () => (Bun.deepEquals(subnets(), wanted) ? true : undefined))
  const makeRule = async (more: object = {}) => {
    const network = await d.network()
    const rule = await d.api.discoveryRules.create({ network_id: network.id, listen: true, ...more })
    return { ...network, rule }
  }

  test('follows the rules and the networks at once', async () => {
    const first = await makeRule({ exclude_ips: '127.9.9.9, 127.9.9.10-127.9.9.20' })
    await becomes([first.subnet])
    expect(d.listener.networks()[0]?.excludes).toEqual(['127.9.9.9', '127.9.9.10-127.9.9.20'])
    const second = await makeRule()
    await becomes([first.subnet, second.subnet])
    await d.api.networks.update({ id: second.id, scanner: 'oslo' })
    await becomes([first.subnet])
    await d.api.networks.update({ id: second.id, scanner: '' })
    await becomes([first.subnet, second.subnet])
    await d.api.discoveryRules.update({ id: first.rule.id, enabled: false })
    await becomes([second.subnet])
    await d.api.networks.update({ id: second.id, subnet: '127.100.0.0/24' })
    await becomes(['127.100.0.0/24'])
    await d.api.networks.delete({ id: second.id })
    await becomes([])
    expect(d.listener.count()).toEqual({ running: 0, starts: 1 })
  })

  test('has no process while no rule listens to a network that a link is in', async () => {
    const before = d.listener.count()
    await makeRule({ listen: false })
    const { id } = await d.api.networks.create({ name: 'elsewhere', subnet: '127.200.0.0/24' })
    const rule = await d.api.discoveryRules.create({ network_id: id, listen: true })
    await d.runJob('discovery.listen')
    expect([before.running, d.listener.count()]).toEqual([0, before])
    await d.api.discoveryRules.delete({ id: rule.id })
  })

  test('leaves networks of spaces that the server does not reach to their scanners', async () => {
    const space = await d.api.spaces.create({ name: 'branch', reachable: false })
    const { id } = await d.api.networks.create({ name: 'branch', subnet: '127.78.0.0/24', space_id: space.id })
    const rule = await d.api.discoveryRules.create({ network_id: id, listen: true, enabled: false })
    const scope = { db: d.app.db.read }
    await d.api.networks.update({ id, scanner: 'oslo' })
    await d.api.discoveryRules.update({ id: rule.id, enabled: true })
    const listened = [{ network_id: id, subnet: '127.78.0.0/24', excludes: [] }]
    expect(await listListened(scope, ['paris', 'oslo'])).toEqual(listened)
    expect(await listListened(scope, ['paris', ''])).toEqual([])
    expect(await listListened(scope, 'server')).toEqual([])
    await d.api.networks.update({ id, scanner: '' })
    expect(await listListened(scope, 'server')).toEqual([])
  })

  test('is started again after its process died', async () => {
    const { id } = await makeRule()
    const first = await d.listener.find(id)
    const { starts } = d.listener.count()
    first.end({ result: 'died', message: 'the listening process ended by SIGKILL' })
    await until('another process', async () => {
      await d.runJob('discovery.listen')
      return d.listener.count().running === 1 ? true : undefined
    })
    expect(d.listener.count()).toEqual({ running: 1, starts: starts + 1 })
  })

  test('stops with the server', async () => {
    const listener = scriptedListener()
    const app = await testApp({ dialect, listening: listener.listening, withJobs: false })
    const { api } = await app.as('admin')
    const { id } = await api.networks.create({ name: 'lab', subnet: '127.0.5.0/24' })
    await api.discoveryRules.create({ network_id: id, listen: true })
    await listener.find(id)
    await app.close()
    expect(listener.count()).toEqual({ running: 0, starts: 1 })
  })
})

/** The metrics as a scraper reads them from a running server. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { onSqlite } from '../../testing/servers/servers.ts'

const NAMES = [
  'http_requests_total',
  'http_requests_by_code',
  'discovery_scans_total',
  'db_queries_total',
  'http_request_duration_milliseconds',
  'discovery_scan_duration_milliseconds',
  'db_query_duration_milliseconds',
  'devices_total',
  'networks_total',
  'datacenters_total',
  'db_connections_open',
  'db_host_up',
  'db_replica_lag_bytes',
  'db_reads_total',
  'db_failovers_total',
  'valkey_up',
  'process_uptime_seconds',
  'go_goroutines',
  'go_memory_alloc_bytes',
  'go_memory_sys_bytes',
]

describe.each(onSqlite())('the metrics on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp({ dialect })
    admin = await app.as('admin')
  })
  afterAll(() => app.close())

  const read = async () => (await admin.request('GET', '/metrics')).text()
  const gauge = async (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await read())?.[1])

  test('are not for guests', async () => {
    expect((await app.guest('GET', '/metrics')).status).toBe(401)
  })

  test('have every name that operators rely on, each with a type', async () => {
    const text = await read()
    expect(NAMES.filter((name) => !text.includes(`# TYPE ${name} `))).toEqual([])
  })

  test('name a request by its pattern, never by its path', async () => {
    await admin.request('GET', '/api/devices/some-device-of-mine')
    const text = await read()
    expect(text).toContain('http_request_duration_milliseconds_count{route="/api/devices/{id}"}')
    expect(text).not.toContain('some-device-of-mine')
  })

  test('do not grow with unknown paths', async () => {
    await admin.request('GET', '/api/nothing-1')
    const before = (await read()).split('\n').length
    await admin.request('GET', '/api/nothing-2')
    expect((await read()).split('\n').length).toBe(before)
  })

  test('count by status code', async () => {
    await app.guest('GET', '/api/devices')
    expect(await read()).toMatch(/^http_requests_by_code\{code="401"\} \d+$/m)
  })

  test('name queries by their verb and table', async () => {
    await admin.request('GET', '/api/datacenters/x')
    expect(await read()).toContain('db_query_duration_milliseconds_count{query="select datacenters"}')
  })

  test('name each host of the database with its role and its reads', async () => {
    const [{ host } = { host: '' }] = app.db.hosts()
    const before = await gauge(`db_reads_total\\{host="${host}"\\}`)
    await admin.api.devices.list({})
    expect(await gauge(`db_reads_total\\{host="${host}"\\}`)).toBeGreaterThan(before)
    expect(await read()).toContain(`db_host_up{host="${host}",role="primary"} 1`)
    expect(await gauge('db_failovers_total')).toBe(0)
  })

  test('count the devices after any changes', async () => {
    const before = await gauge('devices_total')
    const { id } = await admin.api.devices.create({ name: 'a' })
    const create = (name: string) => ({ op: 'create' as const, device: { name } })
    await admin.api.devices.bulk({ operations: [create('b'), create('c')] })
    await admin.request('POST', '/api/devices/bulk', { operations: [create('d'), create(' ')] })
    await admin.api.devices.bulk({ operations: [create('e'), create(' ')], atomic: false })
    await admin.api.devices.delete({ id })
    expect(await gauge('devices_total')).toBe(before + 3)
  })
})

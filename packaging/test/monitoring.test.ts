/** The Prometheus configuration and the Grafana dashboard name only metrics and paths that the server has. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { ROOT } from '../trial.ts'

const read = (name: string): string => readFileSync(join(ROOT, 'packaging/monitoring', name), 'utf8')

const Dashboard = z.object({
  uid: z.string(),
  panels: z.array(z.object({ id: z.int(), title: z.string(), targets: z.array(z.object({ expr: z.string() })) })),
})
const Scrapes = z.object({ scrape_configs: z.array(z.object({ metrics_path: z.string().default('/metrics') })) })

describe('monitoring', () => {
  let app: TestApp
  let metrics: TestCaller
  beforeAll(async () => {
    app = await testApp()
    metrics = await app.as(['metrics:read'])
  })
  afterAll(() => app.close())

  test('the dashboard asks for metrics of the estate', async () => {
    const { panels } = Dashboard.parse(JSON.parse(read('grafana-estate.json')))
    const text = await (await metrics.request('GET', '/metrics/estate')).text()
    const named = panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => expr.match(/plat_[a-z_]+/g) ?? []))
    expect(named.filter((name) => !text.includes(`# TYPE ${name} gauge`))).toEqual([])
    expect(new Set(named).size).toBeGreaterThan(5)
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  })

  test('Prometheus scrapes paths that answer', async () => {
    const { scrape_configs } = Scrapes.parse(parse(read('prometheus.yml')))
    expect(scrape_configs.map(({ metrics_path }) => metrics_path)).toEqual(['/metrics', '/metrics/estate'])
    for (const { metrics_path } of scrape_configs) expect((await metrics.request('GET', metrics_path)).status).toBe(200)
  })
})

/**
 * A whole Plat that listens to the network on its standard input, for the lab. Prints `ready`, and then for each device that
 * `GET /api/discovery/devices` shows a line with its address and the time.
 */
import { testApp } from '../app/app.ts'
import { scriptedScanner } from '../servers/scripted-scanner.ts'

const subnet = (await Bun.stdin.text()).trim()
const LOOK_MS = 10

const app = await testApp({
  env: { DISCOVERY_ALLOWED_SUBNETS: '', DISCOVERY_ALLOW_LOCAL: 'false' },
  // The scan of the rule has no end.
  startScan: scriptedScanner().startScan,
})
const { api } = await app.as('admin')
const { id } = await api.networks.create({ name: 'lab', subnet })
await api.discoveryRules.create({ network_id: id, listen: true })
process.stdout.write(`ready ${process.pid}\n`)
const shown = new Set<string>()
for (;;) {
  for (const { ip, status } of await api.discovery.list({ network_id: id })) {
    if (status !== 'up' || shown.has(ip)) continue
    shown.add(ip)
    process.stdout.write(`${ip} ${Math.round(performance.timeOrigin + performance.now())}\n`)
  }
  await Bun.sleep(LOOK_MS)
}

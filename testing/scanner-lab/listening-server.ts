/**
 * A whole Plat that listens to the network on its standard input, for the lab. Prints `ready` and its pid, then for each device that
 * `GET /api/discovery/devices` shows a line with its address and the time, and each second how long these requests took.
 */
import { testApp } from '../app/app.ts'
import { scriptedScanner } from '../servers/scripted-scanner.ts'

const subnet = (await Bun.stdin.text()).trim()
const LOOK_MS = 10
const SECOND_MS = 1000

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
const times: number[] = []
let toldMs = performance.now()
for (;;) {
  const beganMs = performance.now()
  const devices = await api.discovery.list({ network_id: id, status: 'up' })
  const now = performance.now()
  times.push(Math.round((now - beganMs) * 10) / 10)
  for (const { ip } of devices) {
    if (shown.has(ip)) continue
    shown.add(ip)
    process.stdout.write(`${ip} ${Math.round(performance.timeOrigin + now)}\n`)
  }
  if (now - toldMs >= SECOND_MS) {
    process.stdout.write(`times ${times.join(' ')}\n`)
    times.length = 0
    toldMs = now
  }
  await Bun.sleep(LOOK_MS)
}

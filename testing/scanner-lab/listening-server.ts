/**
 * A whole Plat that listens to the network on its standard input, for the lab: by itself, or by a scanner beside it. Prints `ready` and the
 * pid of the process that listens for it, then for each device that `GET /api/discovery/devices` shows a line with its address and the
 * time, and each second how long these requests took.
 */
import { testApp } from '../app/app.ts'
import { scannerFolder } from '../servers/scanner-child.ts'
import { scriptedScanner } from '../servers/scripted-scanner.ts'

// The lab writes only this.
const { subnet, by } = JSON.parse(await Bun.stdin.text()) as { subnet: string; by: 'server' | 'scanner' }
const LOOK_MS = 10
const SECOND_MS = 1000

const app = await testApp({
  env: { DISCOVERY_ALLOWED_SUBNETS: '', DISCOVERY_ALLOW_LOCAL: 'false' },
  // The scan of the rule has no end.
  startScan: scriptedScanner().startScan,
})
const { api } = await app.as('admin')
const { id } = await api.networks.create({ name: 'lab', subnet, scanner: by === 'scanner' ? 'lab' : '' })
await api.discoveryRules.create({ network_id: id, listen: true })

/** Starts a scanner that reaches this server by a socket. */
const startScanner = async (): Promise<number> => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: app.fetch })
  const { enrolment_token } = await api.scanners.create({ name: 'lab' })
  return scannerFolder().start(['--url', `http://127.0.0.1:${server.port}`, '--token', enrolment_token]).pid
}
process.stdout.write(`ready ${by === 'scanner' ? await startScanner() : process.pid}\n`)
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

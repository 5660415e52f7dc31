/**
 * Runs one scan in the namespace of the lab: the plan on standard input, the result on standard output. The one
 * argument is the action on the running scan: `cancel` it, or `kill` it repeatedly and resume from the checkpoint.
 */
import { readFileSync } from 'node:fs'
import { startScan } from '../../src/scanner/process.ts'
import type { Checkpoint, FoundHost, ScanPlan, Stage } from '../../src/scanner/protocol.ts'
import { readNeighbours } from '../../src/scanner/sweeps/neighbours.ts'
import { openLibc } from '../../src/scanner/sys/libc.ts'
import { openTargets } from '../../src/scanner/targets.ts'
import type { LabScan } from './lab.ts'

const deed = process.argv[2]
// The lab writes only the plan to it.
const plan = JSON.parse(await Bun.stdin.text()) as ScanPlan

const KILLS = 20
const LOOK_EVERY_MS = 100

const read = (path: string): string => {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    // The process has ended.
    return ''
  }
}

const c = openLibc()
const targets = openTargets(plan.subnet, [])
/** Returns the number of unanswered entries of the neighbor table. These fill it up. */
const countUnresolved = (): number => (c && readNeighbours(c, targets)?.unresolved) ?? 0

const beganAtMs = performance.now()
const hosts = new Map<string, FoundHost>()
const notes: string[] = []
/** When a stage was last heard of, from the beginning. */
const stageMs: Partial<Record<Stage, number>> = {}
let checkpoint: Checkpoint | null = null
let [rssMb, cpuSeconds, mostUnresolved, kills] = [0, 0, 0, 0]
let cancelMs: number | null = null

/** User and system time, fields 14 and 15 of `stat`, counted after the name in its brackets; in hundredths of a second. */
const readCpuSeconds = (pid: number): number => {
  const fields = read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / 100
}

const runOnce = async (): Promise<{ result: string; message: string }> => {
  let cancelledAtMs: number | undefined
  let since = 0
  const scan = startScan({ ...plan, checkpoint }, async (report) => {
    if (report.type === 'note') notes.push(report.text)
    if (report.type === 'cancelled' && cancelledAtMs !== undefined) cancelMs = performance.now() - cancelledAtMs
    if (report.type !== 'batch') return
    for (const host of report.hosts) hosts.set(host.ip, host)
    checkpoint = report.checkpoint
    stageMs[report.progress.stage] = Math.round(performance.now() - beganAtMs)
    since++
    if (deed === 'cancel' && since === 3) {
      cancelledAtMs = performance.now()
      scan.cancel()
    }
    if (deed === 'kill' && since === 2 && kills < KILLS) {
      kills++
      process.kill(scan.pid, 'SIGKILL')
    }
  })
  let cpu = 0
  const look = setInterval(() => {
    const status = read(`/proc/${scan.pid}/status`)
    rssMb = Math.max(rssMb, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
    cpu = Math.max(cpu, readCpuSeconds(scan.pid))
    mostUnresolved = Math.max(mostUnresolved, countUnresolved())
  }, LOOK_EVERY_MS)
  const end = await scan.ended
  clearInterval(look)
  cpuSeconds += cpu
  return end
}

let end = await runOnce()
while (end.result === 'died' && deed === 'kill') end = await runOnce()

const output: LabScan = {
  ...end,
  hosts: [...hosts.values()],
  notes,
  stageMs,
  ms: Math.round(performance.now() - beganAtMs),
  cpuSeconds,
  rssMb: Math.round(rssMb),
  cancelMs,
  mostUnresolved,
  kills,
}
await Bun.write(Bun.stdout, JSON.stringify(output))
process.exit(0)

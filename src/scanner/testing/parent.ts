/** A process with a scan that has no end, for the test that kills it. Prints the pid of the scanner. */
import { startScan } from '../process.ts'
import { buildPlan } from './plans.ts'

const scan = startScan(buildPlan({ subnet: '127.10.0.0/16', probesPerSecond: 100 }), async (report) => {
  if (report.type === 'ready') process.stdout.write(`${scan.pid}\n`)
})
await scan.ended

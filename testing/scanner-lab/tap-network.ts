/** Puts the simulated network behind a TAP device of the scanner's namespace, in place of the routed one. */
import { join } from 'node:path'
import type { Lab } from './lab.ts'
import type { Network } from './tap-simulator.ts'

export const addLossyNetwork = (lab: Lab, network: Network): void => {
  const simulator = join(import.meta.dirname, 'tap-simulator.ts')
  lab.start(lab.scanner, [process.execPath, '--no-env-file', simulator, JSON.stringify(network)])
  const script = `for i in $(seq 100); do ip link show tap0 >/dev/null 2>&1 && break; sleep 0.1; done
ip link set tap0 txqueuelen 10000
ip addr add 198.51.100.129/25 dev tap0
ip link set tap0 up
ip addr del 198.51.100.2/24 dev sc1
ip route replace 198.19.0.0/16 via 198.51.100.1 dev tap0 onlink`
  lab.exec(lab.scanner, ['sh', '-ec', script])
}

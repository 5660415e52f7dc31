/** Nornir's inventory plugin for NetBox finds the hosts of Plat by filters. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type PlatTarget, startPlat } from '../../testing/netbox/clients/plat.ts'
import { program } from '../../testing/netbox/clients/run.ts'

let plat: PlatTarget
beforeAll(async () => {
  plat = await startPlat()
}, 120_000)
afterAll(() => plat.stop())

const SERVER = ['device_role__server', 'device_type__r650', 'manufacturer__dell']
const SWITCH = {
  platform: 'ios-xe',
  groups: [
    ...['device_role__access-switch', 'device_type__c9300-48t', 'manufacturer__cisco'],
    ...['platform__ios-xe', 'site__fra1'],
  ],
}

test('nornir-netbox finds devices and machines by site, role, tag, status and custom field', async () => {
  const { out } = await plat.run(['python3', program('use_nornir.py'), plat.url, plat.token])
  const debian = { platform: 'debian-13', groups: [...SERVER, 'platform__debian-13', 'site__fra1'] }
  const first = { ...debian, hostname: '2001:db8:1::10' }
  expect(JSON.parse(out)).toEqual({
    'servers of a site': {
      'srv-fra-1': first,
      'srv-fra-2': { ...debian, hostname: '10.1.0.11' },
      // Without a primary address in NetBox. In Plat, that is the first one.
      'srv-fra-3': { platform: null, groups: [...SERVER, 'site__fra1'], hostname: '10.1.0.13' },
    },
    'with machines, reachable': {
      'srv-fra-1': first,
      'sw-fra-1': { ...SWITCH, hostname: '10.1.0.2' },
      'sw-fra-2': { ...SWITCH, hostname: '10.1.0.3' },
      'web-1': {
        hostname: '2001:db8:1::20',
        platform: 'debian-13',
        groups: ['device_role__server', 'platform__debian-13', 'site__fra1'],
      },
    },
    'by a custom field': ['sw-fra-1'],
  })
}, 120_000)

/** Rows that a Proxmox VE would say, for tests of judgments. */
import type { Said } from '../../../testing/judging.ts'

let macs = 0
/** A MAC of Proxmox that no other machine of the tests has. */
export const newMac = (): string => {
  macs++
  return `bc:24:11:00:${Math.floor(macs / 256)
    .toString(16)
    .padStart(2, '0')}:${(macs % 256).toString(16).padStart(2, '0')}`
}

export const vm = (key: string, row: Said['row'] = {}, more: Partial<Said> = {}): Said => ({
  key,
  row: { name: key.replace('/', '-'), status: 'active', tags: ['vm'], refs: { proxmox: key }, ...row },
  ...more,
})
export const port = (device: string, name: string, row: Said['row'] = {}): Said => ({
  ...{ resource: 'ports', key: `${device} ${name}`, type: 'port' },
  row: { device: { ref: `proxmox:${device}` }, name, ...row },
})
export const contains = (parent: string, child: string): Said => ({
  ...{ resource: 'relationships', key: `${parent} contains ${child}`, type: 'relationship' },
  row: { parent: { ref: `proxmox:${parent}` }, type: 'contains', child: { ref: `proxmox:${child}` } },
})

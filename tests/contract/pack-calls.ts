/** Calls of packs: one that stays installed for the reads, and one with fields of other resources. */
import { call, refuse, type Step } from './engine-pair.ts'

/** After the inventory. */
export const packCalls: readonly Step[] = [
  call('packs.list'),
  call('packs.install', { name: 'nat' }),
  call('packs.install', { name: 'nat' }),
  call('packs.install', { name: 'power' }),
  call('estate.apply', { packs: ['power', 'wireless'], objects: [{ kind: 'wireless-networks', name: 'Guests' }] }),
  refuse(400, 'estate.apply', { packs: ['none'] }),
  refuse(409, 'packs.uninstall', { name: 'wireless' }),
  refuse(404, 'packs.uninstall', { name: 'circuits' }),
  refuse(404, 'packs.install', { name: 'none' }),
  refuse(404, 'packs.get', { name: 'none' }),
]

export const packRemovals: readonly Step[] = [
  call('packs.uninstall', { name: 'nat' }),
  call('packs.uninstall', { name: 'power' }),
  refuse(404, 'packs.uninstall', { name: 'nat' }),
]

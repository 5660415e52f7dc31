/** Counts the reserved addresses of networks that no device has in them. Pure. */
import { listEndKeys, type TreeGroup, type TreeNode } from '../../../net/subnet-tree.ts'
import type { TreeRow } from '../tree-store.ts'
import type { ReservedRow } from './store.ts'

export type Tree = ReadonlyMap<string, TreeNode<TreeRow>>

type Group = TreeGroup<TreeRow>

/** Tells whether an address is the network or broadcast address of a network. */
export const isEndOf = (row: TreeRow, key: string): boolean => listEndKeys(row).some((end) => end === key)

/** Returns a function that finds the most specific subnet of an address. Addresses are asked for in ascending order. */
const createGroupFinder = (nodes: Tree): ((key: string) => Group | undefined) => {
  const sorted = nodes.values()
  let next = sorted.next()
  const open: { readonly group: Group; readonly last: string }[] = []
  const close = (key: string): void => {
    while ((open.at(-1)?.last ?? key) < key) open.pop()
  }
  return (key) => {
    while (!next.done && next.value.block.first_key <= key) {
      const { group, block } = next.value
      close(block.first_key)
      if (open.at(-1)?.group !== group) open.push({ group, last: block.last_key })
      next = sorted.next()
    }
    close(key)
    return open.at(-1)?.group
  }
}

/** The numbers of reserved addresses by network: its own, and with all networks in it. */
export type ReservedCounts = { readonly own: ReadonlyMap<string, number>; readonly nested: ReadonlyMap<string, number> }

type Trees = {
  /** All networks: a reserved address belongs to the most specific network that contains it. */
  readonly whole: Tree
  /** The networks that count as nested. */
  readonly visible: Tree
}

/**
 * An address counts in a network unless a device has it there, and nowhere if it is the network or broadcast address of its network.
 * @param rows by address
 */
export const countReserved = ({ whole, visible }: Trees, rows: readonly ReservedRow[]): ReservedCounts => {
  const [own, nested] = [new Map<string, number>(), new Map<string, number>()]
  const add = (counts: Map<string, number>, id: string): void => void counts.set(id, (counts.get(id) ?? 0) + 1)
  const findGroup = createGroupFinder(whole)
  for (let at = 0; at < rows.length; ) {
    const key = rows[at]?.ip_key ?? ''
    const devices: ReservedRow[] = []
    for (let row = rows[at]; row?.ip_key === key; row = rows[++at]) if (row.device_id !== null) devices.push(row)
    const members = findGroup(key)?.members ?? []
    if (members.some(({ block }) => isEndOf(block, key))) continue
    const names = new Set(devices.flatMap(({ network_id }) => network_id ?? []))
    const isUsedHere = devices.some(({ network_id }) => network_id === null)
    for (const { block } of members) if (!isUsedHere && !names.has(block.id)) add(own, block.id)
    let isUsedInside = isUsedHere
    const seen = members.flatMap(({ block }) => visible.get(block.id) ?? [])[0]
    for (let group = seen?.group; group && !isUsedInside; group = group.outer) {
      for (const { block } of group.members) if (!names.has(block.id) && !isEndOf(block, key)) add(nested, block.id)
      isUsedInside = group.members.some(({ block }) => names.has(block.id))
    }
  }
  return { own, nested }
}

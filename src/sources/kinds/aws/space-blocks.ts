/** The blocks of VPCs in their spaces: two VPCs of one space must not overlap. */
import { type Cidr, formatCidr } from '../../../net/cidr.ts'
import type { Family } from '../../../net/ip.ts'

type Claim = { readonly space: string; readonly vpc: string; readonly cidr: Cidr }
type Block = { readonly first: bigint; readonly last: bigint; readonly vpc: string }

export class SpaceBlocks {
  /** Sorted. Blocks of one list do not overlap: one inside another of its VPC is not added. */
  readonly #blocks = new Map<string, Block[]>()
  readonly #networks = new Set<string>()

  /** Claims a block. @returns false if it overlaps a block of another VPC */
  claim({ space, vpc, cidr }: Claim): boolean {
    const { family, first, last } = cidr
    const blocks = this.#getBlocks(space, family)
    const at = countBefore(blocks, first)
    let end = at
    for (let block = blocks[end]; block && block.first <= last; block = blocks[++end])
      if (block.vpc !== vpc) return false
    const [outer] = blocks.slice(at, end)
    if (outer && outer.first <= first && outer.last >= last) return true
    blocks.splice(at, end - at, { first, last, vpc })
    return true
  }

  /** Returns true when it is asked for a network of a space for the first time. */
  isFirst(space: string, cidr: Cidr): boolean {
    const key = `${space} ${formatCidr(cidr)}`
    if (this.#networks.has(key)) return false
    this.#networks.add(key)
    return true
  }

  #getBlocks(space: string, family: Family): Block[] {
    const key = `${space} ${family}`
    const known = this.#blocks.get(key)
    if (known) return known
    const blocks: Block[] = []
    this.#blocks.set(key, blocks)
    return blocks
  }
}

/** Returns the number of blocks that end before a value, by bisection. */
const countBefore = (blocks: readonly Block[], value: bigint): number => {
  let [low, high] = [0, blocks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const block = blocks[middle]
    if (block && block.last < value) low = middle + 1
    else high = middle
  }
  return low
}

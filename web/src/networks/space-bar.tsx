/** The children and free blocks of a network, to scale. The list beside it says the same in words. */
import type { Cidr } from '../../../src/net/cidr.ts'
import { parseCidr } from '../../../src/net/cidr.ts'
import css from './space.module.css'
import { hasSubnet, type SpacePart } from './space.ts'

/** More would be thinner than a pixel. */
const MOST_PARTS = 400

const computeSize = ({ first, last }: Cidr): number => Number(last - first + 1n)

type ChosenProps = { readonly part: SpacePart; readonly subnet: string }

/** The chosen block within a free one. */
const Chosen = ({ part, subnet }: ChosenProps) => {
  const cidr = parseCidr(subnet)
  if (!cidr) return null
  const formatShare = (size: number) => `${(size / computeSize(part.cidr)) * 100}%`
  return (
    <span
      className={css.chosen}
      style={{ left: formatShare(Number(cidr.first - part.cidr.first)), width: formatShare(computeSize(cidr)) }}
    />
  )
}

type Props = {
  readonly parts: readonly SpacePart[]
  /** The block that would be taken. */
  readonly chosen?: string | undefined
  readonly onPick?: ((subnet: string) => void) | undefined
}

export const SpaceBar = ({ parts, chosen, onPick }: Props) => {
  const total = parts.reduce((sum, { cidr }) => sum + computeSize(cidr), 0)
  return (
    <div className={css.bar} aria-hidden="true">
      {parts.slice(0, MOST_PARTS).map((part) => {
        const style = { flexGrow: computeSize(part.cidr) / total }
        const mark = part.kind === 'free' && chosen && hasSubnet(part.subnet, chosen)
        const title = part.kind === 'free' ? `${part.subnet} free` : `${part.subnet} ${part.network.name}`
        return part.kind === 'free' && onPick ? (
          <button
            key={part.subnet}
            type="button"
            tabIndex={-1}
            className={css.part}
            data-kind="free"
            style={style}
            title={title}
            onClick={() => onPick(part.subnet)}
          >
            {mark && <Chosen part={part} subnet={chosen} />}
          </button>
        ) : (
          <span
            key={part.kind === 'free' ? part.subnet : part.network.id}
            className={css.part}
            data-kind={part.kind}
            style={style}
            title={title}
          >
            {mark && <Chosen part={part} subnet={chosen} />}
          </span>
        )
      })}
    </div>
  )
}

/** A value of a custom field, in a row of a table or among the details of an object. */
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { isResource } from '../../../src/inventory/resources.ts'
import { buildObjectLink, findItem } from '../shell/nav.ts'
import { Tags } from '../ui/primitives.tsx'
import { type Definition, type RefNames, type Target, toTexts, type Value } from './values.ts'

type Props = {
  readonly definition: Definition
  readonly value: Value | undefined
  readonly names: RefNames
  /** In a row, where nothing is reached by Tab. */
  readonly isInRow?: boolean
}

/** Returns the type of the objects in the navigation. @example toObjectType('networks') // 'network' */
const toObjectType = (target: Target): string => (isResource(target) ? target.slice(0, -1) : 'object')

const References = ({ definition, value = [], names, isInRow }: Props) => {
  const item = definition.reference_to === null ? undefined : findItem(toObjectType(definition.reference_to))
  return [value].flat().map((one, at) => {
    const id = String(one)
    const text = names.get(id) ?? id
    return (
      <Fragment key={id}>
        {at > 0 && ', '}
        {item ? (
          <Link {...buildObjectLink(item, id)} className="link" tabIndex={isInRow ? -1 : undefined}>
            {text}
          </Link>
        ) : (
          text
        )}
      </Fragment>
    )
  })
}

/** The server takes no other URLs; a page must not depend on it. */
const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text)

export const ValueView = (props: Props) => {
  const { definition, value, names, isInRow } = props
  if (value === undefined) return null
  const { type, multiple } = definition
  if (type === 'reference') return <References {...props} />
  const texts = toTexts(definition, value, names)
  if (multiple) return <Tags tags={texts} />
  const text = texts.join(', ')
  if (type === 'url' && isWebAddress(text))
    return (
      <a href={text} className="link" target="_blank" rel="noopener noreferrer" tabIndex={isInRow ? -1 : undefined}>
        {text}
      </a>
    )
  if (type === 'integer' || type === 'number') return <span className="num">{text}</span>
  return type === 'date' || type === 'ip' ? <span className="mono">{text}</span> : text
}

/** Selects the DNS zone of a feed. The zones are loaded only for feeds of that format. */
import { useQuery } from '@tanstack/react-query'
import { zonesQuery } from '../dns/zones-query.ts'
import { usePermit } from '../shell/me.ts'
import { ReferenceField } from './reference-field.tsx'

type Props = {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: string | undefined
}

export const ZoneField = ({ value, onChange, error }: Props) => {
  const { may } = usePermit()
  const { data } = useQuery({ ...zonesQuery, enabled: may('dns:list') })
  const choices = data?.map(({ id, name }) => [id, name] as const)
  return <ReferenceField label="DNS zone" any="Choose one" {...{ value, onChange, error, choices }} />
}

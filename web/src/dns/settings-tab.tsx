/** The form of a zone, on its page. */
import { useEffect, useRef } from 'react'
import { ResourceForm } from '../resource/resource-form.tsx'
import { useOpened } from '../resource/use-opened.ts'
import { PageLoading } from '../shell/page-loading.tsx'
import { Failure } from '../ui/states.tsx'
import css from './dns.module.css'
import type { Zone } from './queries.ts'
import { useZoneResource } from './zone-resource.ts'

type Props = {
  readonly zone: Zone
  readonly blocked: string | undefined
}

export const SettingsTab = ({ zone: { id }, blocked }: Props) => {
  const resource = useZoneResource()
  const { opened, error, refetch, reload } = useOpened(resource, id)
  const form = useRef<HTMLElement>(null)
  const isSaved = useRef(false)
  const saved = async () => {
    await reload()
    isSaved.current = true
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version starts the form again, which loses the focus
  useEffect(() => {
    if (!isSaved.current) return
    isSaved.current = false
    form.current?.querySelector<HTMLElement>('[type=submit]')?.focus()
  }, [opened])
  if (!opened) return error ? <Failure error={error} onRetry={() => void refetch()} noun="zone" /> : <PageLoading />
  return (
    <section ref={form} className={css.settings} aria-label="Settings">
      <ResourceForm
        key={opened.etag}
        resource={resource}
        id={id}
        opened={opened}
        draftKey={`zone.${id}`}
        onReload={() => void reload()}
        onSaved={() => void saved()}
        blocked={blocked}
        isFocused={false}
      />
    </section>
  )
}

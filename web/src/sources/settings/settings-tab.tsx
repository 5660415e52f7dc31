/** The settings of a source, in a form that stays open. */
import { useMemo } from 'react'
import { ResourceForm } from '../../resource/resource-form.tsx'
import { useOpened } from '../../resource/use-opened.ts'
import { usePermit } from '../../shell/me.ts'
import { PageLoading } from '../../shell/page-loading.tsx'
import { useSpaces } from '../../spaces/known-spaces.tsx'
import { Failure } from '../../ui/states.tsx'
import type { Source, SourceKind } from '../queries.ts'
import css from '../sources.module.css'
import { buildSourceResource } from './source-resource.tsx'

type Props = { readonly source: Source; readonly kind: SourceKind }

export const SettingsTab = ({ source, kind }: Props) => {
  const { blocked } = usePermit()
  const spaces = useSpaces()
  const resource = useMemo(() => buildSourceResource({ kind, stored: source, spaces }), [kind, source, spaces])
  const { opened, error, refetch, reload } = useOpened(resource, source.id)
  if (!opened) return error ? <Failure error={error} onRetry={() => void refetch()} noun="source" /> : <PageLoading />
  return (
    <section className={css.settings} aria-labelledby="source-settings">
      {/* The sections of the form have headings below it. */}
      <h2 id="source-settings" className="sr">
        Settings
      </h2>
      <ResourceForm
        key={opened.etag}
        resource={resource}
        id={source.id}
        opened={opened}
        draftKey={`source.${source.id}`}
        onReload={() => void reload()}
        onSaved={() => void reload()}
        blocked={blocked('sources:update')}
        isFocused={false}
      />
    </section>
  )
}

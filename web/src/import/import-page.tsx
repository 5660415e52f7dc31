/** Loads a file: pasted or dropped, its columns made fields, tried out, and then imported whole or not at all. */
import { useState } from 'react'
import type { ResourceName } from '../export/fields.ts'
import { Hints, PageBody, PageHead } from '../shell/page.tsx'
import { ImportReview } from './import-review.tsx'
import type { Source } from './read.ts'
import { SourceForm } from './source-form.tsx'

export const ImportPage = () => {
  const [resource, setResource] = useState<ResourceName>('devices')
  const [source, setSource] = useState<Source>()
  return (
    <>
      <PageHead title="Import" />
      {source ? (
        <ImportReview resource={resource} source={source} onBack={() => setSource(undefined)} />
      ) : (
        <PageBody>
          <SourceForm resource={resource} onResource={setResource} onSource={setSource} />
        </PageBody>
      )}
      <Hints hints={[[['?'], 'all shortcuts']]} />
    </>
  )
}

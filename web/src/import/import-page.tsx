/** Loads rows, or a file of another program: read, tried out, and then imported. */
import { useState } from 'react'
import type { ResourceName } from '../export/fields.ts'
import { Hints, PageBody, PageHead } from '../shell/page.tsx'
import type { Conversion } from './convert.ts'
import { ConvertedReview } from './converted-review.tsx'
import { ImportReview } from './import-review.tsx'
import { NetboxForm } from './netbox-form.tsx'
import type { Source } from './read.ts'
import { SourceForm } from './source-form.tsx'

type Chosen = { readonly source: Source } | { readonly name: string; readonly conversion: Conversion }

export const ImportPage = () => {
  const [resource, setResource] = useState<ResourceName>('devices')
  const [chosen, setChosen] = useState<Chosen>()
  const back = () => setChosen(undefined)
  const onConversion = (name: string, conversion: Conversion) => setChosen({ name, conversion })
  return (
    <>
      <PageHead title="Import" />
      {!chosen && (
        <PageBody>
          <SourceForm
            resource={resource}
            onResource={setResource}
            onSource={(source) => setChosen({ source })}
            onConversion={onConversion}
          />
          <NetboxForm onConversion={onConversion} />
        </PageBody>
      )}
      {chosen && 'source' in chosen && <ImportReview resource={resource} source={chosen.source} onBack={back} />}
      {chosen && 'conversion' in chosen && <ConvertedReview {...chosen} onBack={back} />}
      <Hints hints={[[['?'], 'all shortcuts']]} />
    </>
  )
}

import { sampleId } from '../../sampleid.ts'
import type { pictureOperationRows } from '../pictures.ts'
import type { AdminExamples } from '../row.ts'

const url = `/media/${sampleId('merchant')}/1c1b0d5cbf0ff7d1d5a7d9c4a8f1e2b3-1.png`
const size = { url, width: 1, height: 1 }

// A PNG of one pixel.
const content = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII='

export const pictureExamples: AdminExamples<typeof pictureOperationRows> = {
  uploadAdminPicture: {
    path: {},
    body: { idempotencyKey: '4a1f8f5e-4b0c-4b2b-8f6d-6f0d8b7f3c21', content },
    reply: { data: { pictureId: sampleId('picture'), ...size, sizes: [size] } },
  },
  getAdminRemotePictures: {
    path: {},
    body: undefined,
    reply: {
      data: {
        ...{ broughtOver: 412, waiting: 31, givenUp: 1 },
        problems: [
          { url: 'https://cdn.example.com/products/bowl-3.jpg', productSlug: 'soup-bowl', problem: 'missing' },
        ],
      },
    },
  },
}

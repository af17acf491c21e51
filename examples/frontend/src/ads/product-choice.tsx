import { useEffect } from 'react';
import { AdvertisementProductsDocument, type AdvertisementProductsQuery } from '../operations.ts';
import { Fault } from '../page/fault.tsx';
import { useQuery } from '../page/use-loaded.ts';
import { useTexts } from '../texts.ts';
import type { FormPart, Subject } from './draft.ts';

/** The products for an ad, with the price of each; for a live ad, what the change costs. */
export function ProductChoice({ draft, set, faultOf, subject }: FormPart & { subject: Subject | undefined }) {
  const { t } = useTexts();
  const variables = subject && { positionProfile: subject, selectedAdvertisementProductId: draft.productId };
  const {
    data: answer,
    error,
    isLoading,
    reload,
  } = useQuery(
    variables && { query: AdvertisementProductsDocument, variables },
    [subject === undefined],
    subject,
  );
  const data = answer?.advertisementProducts;
  const products = data?.products ?? [];
  const chosen = products.find(({ id }) => id.value === draft.productId);
  useEffect(() => {
    if (!data || chosen) return;
    set({ productId: data.products.find(({ selected }) => selected)?.id.value });
  }, [data]);
  if (!subject) return <p className="soft">{t('adFirst')}</p>;
  return (
    <>
      {data?.information && <p className="soft">{data.information}</p>}
      {isLoading && products.length === 0 && <p role="status">{t('loading')}</p>}
      <Fault error={error} onRetry={reload} />
      {products.map((product) => (
        <label key={product.id.value} className="option">
          <input
            type="radio"
            name="product"
            aria-invalid={faultOf('productId') !== undefined}
            checked={product === chosen}
            onChange={() => set({ productId: product.id.value })}
          />
          <span>
            <strong>{product.label}</strong> {product.price?.summary}
            <small>{pointsOf(product)}</small>
          </span>
        </label>
      ))}
      {faultOf('productId') && <small className="bad">{t(faultOf('productId')!)}</small>}
    </>
  );
}

type Product = AdvertisementProductsQuery['advertisementProducts']['products'][number];

function pointsOf({ description, sellingPoints }: Product): string {
  return [description, ...sellingPoints.map(({ text }) => text)].filter(Boolean).join(' · ');
}

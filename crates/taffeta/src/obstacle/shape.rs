//! A shape of any kind.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use super::Implicit;

/// A shape of any kind, shared: one of those here, or any other that is [`Implicit`].
///
/// ```
/// use taffeta::obstacle::{Shape, Sphere};
/// use taffeta::DVec3;
///
/// let shape: Shape = Sphere::new(0.5).into();
/// assert_eq!(shape.near(DVec3::X).gap, 0.5);
/// ```
#[derive(Clone)]
pub struct Shape(Arc<dyn Implicit>);

impl<S: Implicit + 'static> From<S> for Shape {
    fn from(shape: S) -> Self {
        Self(Arc::new(shape))
    }
}

impl From<Arc<dyn Implicit>> for Shape {
    fn from(shape: Arc<dyn Implicit>) -> Self {
        Self(shape)
    }
}

/// What can be asked of a shape is what [`Implicit`] says.
impl Deref for Shape {
    type Target = dyn Implicit;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

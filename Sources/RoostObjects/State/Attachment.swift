// SPDX-License-Identifier: Apache-2.0

/// What an object belongs to besides its context.
enum Attachment {
  case none
  /// The objects that were fetched or related together with it.
  case fetched(FetchGroup)
  /// The recorder of the key path that is applied to the object, which stands for its class.
  case recording(PathRecorder)
}

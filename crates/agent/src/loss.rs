//! Losses of Q-learning, as pure functions of tensors.

use burn::tensor::{Bool, Int, Tensor};

/// A value below every Q-value; finite, so that arithmetic on masked values never produces NaN.
const MASKED: f32 = -1e9;

/// Returns double Q-learning targets (van Hasselt, Guez and Silver, 2016): reward + discount x the
/// target network's value of the legal action that the online network prefers. If `online_q` is
/// `target_q`, these are the targets of Q-learning (Mnih et al., 2015): reward + discount x the
/// target network's highest value of a legal action. Shapes: `[batch]` and `[batch, actions]`;
/// values and mask belong to the next state. A discount of 0 cuts off the bootstrap, whatever the
/// mask.
pub fn double_q_target(
    reward: Tensor<1>,
    discount: Tensor<1>,
    online_q: Tensor<2>,
    target_q: Tensor<2>,
    legal: Tensor<2, Bool>,
) -> Tensor<1> {
    let preferred = online_q.mask_fill(legal.bool_not(), MASKED).argmax(1);
    reward + discount * target_q.gather(1, preferred).squeeze_dim(1)
}

/// Returns the targets for networks with a single value per state: reward + discount x the target
/// network's value of the next state. Shapes: `[batch]` and `[batch, 1]`.
pub fn value_target(reward: Tensor<1>, discount: Tensor<1>, target_value: Tensor<2>) -> Tensor<1> {
    reward + discount * target_value.squeeze_dim(1)
}

/// Returns the Q-values of the actions taken: `[batch, actions]` and `[batch]` to `[batch]`.
pub fn taken(q: Tensor<2>, action: Tensor<1, Int>) -> Tensor<1> {
    q.gather(1, action.unsqueeze_dim(1)).squeeze_dim(1)
}

/// Returns the Huber loss (1964) with threshold 1, elementwise: e^2 / 2 within 1 of 0, |e| - 1/2
/// beyond.
pub fn huber(error: Tensor<1>) -> Tensor<1> {
    let size = error.abs();
    let inner = size.clone().clamp_max(1.0);
    inner.clone().powi_scalar(2) * 0.5 + (size - inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::{Device, TensorData};

    fn vector(values: &[f32]) -> Tensor<1> {
        Tensor::from_data(TensorData::from(values), &Device::flex())
    }

    fn matrix<const R: usize, const C: usize>(values: [[f32; C]; R]) -> Tensor<2> {
        Tensor::from_data(TensorData::from(values), &Device::flex())
    }

    fn values(tensor: Tensor<1>) -> Vec<f32> {
        tensor.into_data().try_into_vec().unwrap()
    }

    /// Row 0: the online network prefers action 1, but it is illegal; of the others it prefers 2,
    /// worth 7 to the target network. Row 1: with a discount of 0, only the reward counts. Row 2:
    /// no legal action; the discount of 0 keeps the target finite.
    #[test]
    fn hand_worked_targets() {
        let online = matrix([[1.0, 9.0, 2.0], [1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
        let target = matrix([[5.0, 6.0, 7.0], [8.0, 9.0, 10.0], [1.0, 1.0, 1.0]]);
        let legal = [
            [true, false, true],
            [true, true, true],
            [false, false, false],
        ];
        let legal = Tensor::from_data(TensorData::from(legal), &Device::flex());
        let out = double_q_target(
            vector(&[1.0, -1.0, 0.5]),
            vector(&[0.5, 0.0, 0.0]),
            online,
            target,
            legal,
        );
        assert_eq!(values(out), [4.5, -1.0, 0.5]);
    }

    /// Targets of a single value equal those of double Q-learning with one action, whatever the
    /// online network's output.
    #[test]
    fn hand_worked_value_targets() {
        let target = || matrix([[5.0], [8.0]]);
        let reward = || vector(&[1.0, -1.0]);
        let discount = || vector(&[0.5, 0.0]);
        assert_eq!(
            values(value_target(reward(), discount(), target())),
            [3.5, -1.0]
        );
        let legal = Tensor::from_data(TensorData::from([[true], [true]]), &Device::flex());
        let double = double_q_target(
            reward(),
            discount(),
            matrix([[-3.0], [9.0]]),
            target(),
            legal,
        );
        assert_eq!(values(double), [3.5, -1.0]);
    }

    #[test]
    fn hand_worked_huber() {
        assert_eq!(
            values(huber(vector(&[0.0, 0.5, -1.0, 3.0, -10.0]))),
            [0.0, 0.125, 0.5, 2.5, 9.5]
        );
    }

    /// The gradient of Huber is the error clipped to -1..1.
    #[test]
    fn huber_gradient_is_clipped() {
        let error = vector(&[-5.0, -0.25, 0.75, 2.0]).autodiff().require_grad();
        let gradients = huber(error.clone()).sum().backward();
        let gradient = error.grad(&gradients).unwrap();
        assert_eq!(values(gradient), [-1.0, -0.25, 0.75, 1.0]);
    }

    #[test]
    fn taken_picks_one_value_a_row() {
        let action = Tensor::from_data(TensorData::from([2i32, 0]), &Device::flex());
        assert_eq!(
            values(taken(matrix([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), action)),
            [3.0, 4.0]
        );
    }
}
